/* Keeps the reader's actions while the page's connection to the server is interrupted.

   After a restart of the server, or when it has forgotten a session that was away, the browser connects again to a session
   that has run nothing. Streamlit then runs nothing until the visitor's first action, and treats that action as the
   initial state of a new page: a typed sentence is reset, a click on a head is dropped. So a renewed connection first
   requests that the page be drawn. Actions taken meanwhile are held until then, and an action the old connection got no
   answer to is sent again, once. */

const STREAM = '/_stcore/stream';
const PATIENCE = 20_000; // milliseconds that actions are held for a page that is not drawn

/** Fields of Streamlit's messages, by their numbers: what is sent (BackMsg, ClientState) and what comes (ForwardMsg). */
const RERUN = 11;
const FRAGMENT = 5;
const BY_ITSELF = 6;
const FINISHED = 6;
const WHOLE = [0, 3]; // a run that came to its end, of the page or of a fragment

/**
 * The fields of a protobuf message: [number, value], the value a number, or bytes.
 * @returns empty if the bytes are no message
 */
export function fieldsOf(bytes: Uint8Array): [number, number | Uint8Array][] {
  const fields: [number, number | Uint8Array][] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    return NaN;
  };
  while (at < bytes.length) {
    const tag = varint();
    const kind = tag % 8;
    if (kind === 0) fields.push([Math.floor(tag / 8), varint()]);
    else if (kind === 2) {
      const end = varint() + at;
      if (!(end <= bytes.length)) return [];
      fields.push([Math.floor(tag / 8), bytes.subarray(at, end)]);
      at = end;
    } else if (kind === 1 || kind === 5) at += kind === 1 ? 8 : 4;
    else return [];
  }
  return fields;
}

/** What a message to the server requests: a run of the page, a run of a fragment, or neither. */
export function asks(bytes: Uint8Array): 'page' | 'fragment' | 'other' {
  const run = fieldsOf(bytes).find(([number]) => number === RERUN)?.[1];
  if (!(run instanceof Uint8Array)) return 'other';
  const fields = fieldsOf(run);
  if (fields.some(([number, value]) => number === BY_ITSELF && value === 1)) return 'other';
  const fragment = fields.find(([number]) => number === FRAGMENT)?.[1];
  return fragment instanceof Uint8Array && fragment.length ? 'fragment' : 'page';
}

/** Whether a message from the server reports the end of a run. */
export function ends(bytes: Uint8Array) {
  // This message has only a few bytes, so longer ones are not parsed.
  if (bytes.length > 2000) return false;
  return fieldsOf(bytes).some(([number, value]) => number === FINISHED && WHOLE.includes(Number(value)));
}

const same = (a: Uint8Array, b: Uint8Array) =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);

/**
 * Decides what is held, sent again, or let through. Independent of the browser: `page.draw()` requests a run of the page.
 */
export class Line {
  /** Sends on the current connection; null while there is none. */
  out: ((bytes: Uint8Array) => void) | null = null;
  /** 'open' lets everything through; 'asking' and 'drawing' wait for the page of a connection made again. */
  state: 'open' | 'gone' | 'asking' | 'drawing' = 'open';
  /** The last action without an answer. */
  asked: Uint8Array | null = null;
  held: Uint8Array[] = [];
  /** Callbacks of views, to run once the page is drawn. */
  later: (() => void)[] = [];

  /** `connected()`: whether Streamlit accepts messages. */
  constructor(readonly page: { draw(): void; connected(): boolean }) {}

  /** A connection was made; `again` when there was one before. */
  opened(out: (bytes: Uint8Array) => void, again: boolean) {
    this.out = out;
    if (!again) return;
    this.state = 'asking';
    this.page.draw();
  }

  /** The current connection was lost. */
  closed() {
    this.out = null;
    this.state = 'gone';
  }

  /** A message from the page. */
  send(bytes: Uint8Array) {
    const wish = asks(bytes);
    if (wish === 'other') return void this.out?.(bytes);
    if (this.state === 'asking' && wish === 'page') {
      this.state = 'drawing';
      return void this.out?.(bytes);
    }
    if (this.state !== 'open') return void this.held.push(bytes);
    this.asked = bytes;
    this.out?.(bytes);
  }

  /** A message from the server. */
  heard(bytes: Uint8Array) {
    if (!ends(bytes)) return;
    if (this.state === 'drawing') this.release();
    else if (this.state === 'open') this.asked = null;
  }

  /** Send the unanswered action and the held ones, each once and in order. */
  release() {
    const waiting = this.asked && !this.held.some((each) => this.asked && same(each, this.asked));
    const all = [...(waiting && this.asked ? [this.asked] : []), ...this.held];
    const callbacks = this.later;
    this.state = 'open';
    this.asked = null;
    this.held = [];
    this.later = [];
    all.forEach((bytes) => this.send(bytes));
    callbacks.forEach((tell) => tell());
  }

  /** Whether an action reaches the server now. */
  ready() {
    return this.state === 'open' && this.page.connected();
  }

  /** Run a callback now, or once the page is connected and drawn again. */
  tell(tell: () => void) {
    if (this.ready()) tell();
    else this.later.push(tell);
  }
}

const bytesOf = (data: unknown) =>
  data instanceof ArrayBuffer ? new Uint8Array(data) : data instanceof Uint8Array ? data : null;

/**
 * Wraps Streamlit's WebSocket. One that is already open is recognised at its next message.
 */
function stand(line: Line) {
  const Socket = window.WebSocket;
  const plain = Socket.prototype.send;
  const ours = (socket: WebSocket) => new URL(socket.url).pathname.endsWith(STREAM);
  let now: WebSocket | null = null;
  const listen = (socket: WebSocket) => {
    now = socket;
    socket.addEventListener('message', ({ data }) => {
      const bytes = bytesOf(data);
      if (now === socket && bytes) line.heard(bytes);
    });
    socket.addEventListener('close', () => now === socket && line.closed());
  };
  const out = (socket: WebSocket) => (bytes: Uint8Array) => {
    if (socket.readyState === Socket.OPEN) plain.call(socket, bytes);
  };
  Socket.prototype.send = function send(data: Parameters<WebSocket['send']>[0]) {
    const bytes = ours(this) ? bytesOf(data) : null;
    if (!bytes) return plain.call(this, data);
    if (now === null) {
      listen(this);
      line.opened(out(this), false);
    }
    if (now === this) line.send(bytes);
  };
  window.WebSocket = new Proxy(Socket, {
    construct(target, given) {
      const socket = Reflect.construct(target, given) as WebSocket;
      if (!ours(socket)) return socket;
      line.closed();
      listen(socket);
      // After Streamlit's own listener, which makes this connection the current one.
      socket.addEventListener('open', () =>
        setTimeout(() => now === socket && line.opened(out(socket), true)),
      );
      return socket;
    },
  });
}

/** A link to another place, chosen while there is no connection, is followed once the page is drawn: Streamlit ignores it. */
function keepLinks(line: Line) {
  const followed = (event: MouseEvent) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('[data-testid="stPageLink"] a');
    if (!link || line.ready()) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    line.tell(() => (link.isConnected ? link.click() : location.assign(link.href)));
  };
  document.addEventListener('click', followed, true);
}

/** The page's line, one for all views. */
export function connection(): Line {
  const page = window as unknown as { atlasLine?: Line };
  if (page.atlasLine) return page.atlasLine;
  const line = new Line({
    draw() {
      // Streamlit reruns the page on the browser's Back and reads the address.
      if (line.state === 'asking') window.dispatchEvent(new PopStateEvent('popstate', { state: null }));
      setTimeout(() => line.state !== 'open' && line.out && line.release(), PATIENCE);
    },
    connected() {
      const app = document.querySelector('[data-test-connection-state]');
      return !app || app.getAttribute('data-test-connection-state') === 'CONNECTED';
    },
  });
  stand(line);
  keepLinks(line);
  return (page.atlasLine = line);
}
