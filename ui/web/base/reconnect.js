/* After the server was restarted, or the tab was away for longer than its session is kept, Streamlit connects again and runs
   nothing: the new session knows neither the page's fragments nor its widgets, and drops the reader's next action. So a
   socket that opens later than the page lets the whole app run at once, and what the reader does until that run has
   ended is held back and sent then. */

const PATIENCE = 20_000; // milliseconds after which what was held is sent, whatever came
const FINISHED = 6; // the field `script_finished` of Streamlit's ForwardMsg
const SUCCESSFULLY = 0;

/**
 * A protobuf number that starts at a byte, and the byte after it.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @returns {[number, number]}
 */
function varint(bytes, at) {
  let [value, scale] = [0, 1];
  for (; at < bytes.length; at++, scale *= 128) {
    value += (bytes[at] & 127) * scale;
    if (bytes[at] < 128) return [value, at + 1];
  }
  return [value, at];
}

/**
 * Whether a message of the server says that a whole run has ended well: its field 6 is 0.
 * @param {Uint8Array} bytes
 */
export function endsRun(bytes) {
  for (let at = 0; at < bytes.length;) {
    const [tag, after] = varint(bytes, at);
    const [field, wire] = [Math.floor(tag / 8), tag % 8];
    const [value, next] = wire === 1 || wire === 5 ? [0, after + (wire === 1 ? 8 : 4)] : varint(bytes, after);
    if (wire > 2 && wire !== 5) return false;
    if (field === FINISHED) return wire === 0 && value === SUCCESSFULLY;
    at = wire === 2 ? next + value : next;
  }
  return false;
}

/**
 * A kind of socket that runs the app by `run` when it opens, and holds back what is sent from then to the end of the run.
 * @param {typeof WebSocket} Native
 * @param {() => void} run
 */
export function returning(Native, run) {
  return class extends Native {
    /** @param {[url: string | URL, protocols?: string | string[]]} given */
    constructor(...given) {
      super(...given);
      /** @type {any[] | null} what is held; null while nothing is */
      this.held = null;
      // After Streamlit's own listener, which knows the server again from then on.
      this.addEventListener('open', () => setTimeout(() => this.begin(), 0));
      this.addEventListener('message', ({ data }) => {
        if (this.held && data instanceof ArrayBuffer && endsRun(new Uint8Array(data))) this.release();
      });
    }

    begin() {
      if (this.readyState !== Native.OPEN) return;
      run();
      this.held = [];
      setTimeout(() => this.release(), PATIENCE);
    }

    release() {
      const waiting = this.held ?? [];
      this.held = null;
      if (this.readyState === Native.OPEN) for (const data of waiting) super.send(data);
    }

    /** @param {Parameters<WebSocket['send']>[0]} data */
    send(data) {
      if (this.held) this.held.push(data);
      else super.send(data);
    }
  };
}

/** Once a page: from here on its sockets are connections that were lost and found. */
export function watchConnection() {
  const page = /** @type {{ atlasConnection?: boolean }} */ (/** @type {unknown} */ (window));
  if (page.atlasConnection) return;
  page.atlasConnection = true;
  // Streamlit answers the browser's Back and Forward with a run of the whole app for the address as it is.
  window.WebSocket = returning(
    window.WebSocket,
    () => void window.dispatchEvent(new PopStateEvent('popstate')),
  );
}
