/* The page's connection to the server, for the moments in which it was gone.

   After a restart of the server, or when it has forgotten a session that was away, the browser connects again to a session
   that has run nothing. Streamlit then runs nothing either until the visitor's first action, and takes that action for the
   state a new page starts with: the sentence that was typed snaps back, the click on a head is dropped. So the first thing
   that a connection made again carries is a request to draw the page; what the visitor does meanwhile is held until the
   page is drawn, and what the old connection never got an answer to is sent again behind it, once. */

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
 * @returns empty for what is none
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

/** What a message to the server asks for: to run the page, to run a fragment of it, or neither. */
export function asks(bytes: Uint8Array): 'page' | 'fragment' | 'other' {
  const run = fieldsOf(bytes).find(([number]) => number === RERUN)?.[1];
  if (!(run instanceof Uint8Array)) return 'other';
  const fields = fieldsOf(run);
  if (fields.some(([number, value]) => number === BY_ITSELF && value === 1)) return 'other';
  const fragment = fields.find(([number]) => number === FRAGMENT)?.[1];
  return fragment instanceof Uint8Array && fragment.length ? 'fragment' : 'page';
}

/** Whether a message from the server says that a run has come to its end. */
export function ends(bytes: Uint8Array) {
  // Most messages are long and no such thing; this one is a few bytes, so that no other is taken apart.
  if (bytes.length > 2000) return false;
  return fieldsOf(bytes).some(([number, value]) => number === FINISHED && WHOLE.includes(Number(value)));
}

const same = (a: Uint8Array, b: Uint8Array) =>
  a.length === b.length && a.every((byte, index) => byte === b[index]);

/**
 * What is held back, sent again, or let through. Knows no browser: `page.draw()` asks for the page to be drawn.
 */
export class Line {
  /** The connection in force sends by this; null while there is none. */
  out: ((bytes: Uint8Array) => void) | null = null;
  /** 'open' lets everything through; 'asking' and 'drawing' wait for the page of a connection made again. */
  state: 'open' | 'gone' | 'asking' | 'drawing' = 'open';
  /** The last action that nothing has answered yet. */
  asked: Uint8Array | null = null;
  held: Uint8Array[] = [];
  /** What views want to tell as soon as the page is drawn. */
  later: (() => void)[] = [];

  /** `connected()`: whether Streamlit would take what is told. */
  constructor(readonly page: { draw(): void; connected(): boolean }) {}

  /** A connection was made; `again` when there was one before. */
  opened(out: (bytes: Uint8Array) => void, again: boolean) {
    this.out = out;
    if (!again) return;
    this.state = 'asking';
    this.page.draw();
  }

  /** The connection in force has gone. */
  closed() {
    this.out = null;
    this.state = 'gone';
  }

  /** What the page sends. */
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

  /** What the server says. */
  heard(bytes: Uint8Array) {
    if (!ends(bytes)) return;
    if (this.state === 'drawing') this.release();
    else if (this.state === 'open') this.asked = null;
  }

  /** Send what was not answered and what was held, each once and in order. */
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

  /** Tell the server something now, or as soon as the page is there again. */
  tell(tell: () => void) {
    if (this.state === 'open' && this.page.connected()) tell();
    else this.later.push(tell);
  }
}

const bytesOf = (data: unknown) =>
  data instanceof ArrayBuffer ? new Uint8Array(data) : data instanceof Uint8Array ? data : null;

/**
 * Stands between Streamlit and its WebSocket. The one that is open already is known from its next message on.
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
      // Behind Streamlit's own listener, which makes the connection the one it sends by.
      socket.addEventListener('open', () =>
        setTimeout(() => now === socket && line.opened(out(socket), true)),
      );
      return socket;
    },
  });
}

/** The page's line, one for all views. */
export function connection(): Line {
  const page = window as unknown as { atlasLine?: Line };
  if (page.atlasLine) return page.atlasLine;
  const line = new Line({
    draw() {
      // Streamlit runs the page on the browser's Back, and asks the address what it is to show.
      if (line.state === 'asking') window.dispatchEvent(new PopStateEvent('popstate', { state: null }));
      setTimeout(() => line.state !== 'open' && line.out && line.release(), PATIENCE);
    },
    connected() {
      const app = document.querySelector('[data-test-connection-state]');
      return !app || app.getAttribute('data-test-connection-state') === 'CONNECTED';
    },
  });
  stand(line);
  return (page.atlasLine = line);
}
