/* The model out of the page that holds it: blocks of base64, deflated together. */

/** Lets the page draw and answer its reader before the next piece of work. */
export const pause = () =>
  new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/**
 * The `size` bytes that `blocks` hold. `report` gets the share that is done, as it grows. Rejects with an Error of
 * one sentence where the blocks do not give that many.
 */
export async function unpacked(blocks: string[], size: number, report: (share: number) => void) {
  const damaged = new Error('The model in this page is damaged; download the page again.');
  const bytes = new Uint8Array(size);
  const { readable, writable } = new DecompressionStream('deflate');
  const inflate = async () => {
    let filled = 0;
    const reader = readable.getReader();
    for (;;) {
      const { done, value } = (await reader.read()) as { done: boolean; value?: Uint8Array };
      if (done || !value) break;
      if (filled + value.length > size) throw damaged;
      bytes.set(value, filled);
      filled += value.length;
      report(filled / size);
    }
    if (filled !== size) throw damaged;
  };
  const feed = async () => {
    const writer = writable.getWriter();
    for (const block of blocks) {
      const text = atob(block);
      const part = new Uint8Array(text.length);
      for (let i = 0; i < text.length; i++) part[i] = text.charCodeAt(i);
      await writer.write(part);
      await pause();
    }
    await writer.close();
  };
  try {
    await Promise.all([inflate(), feed()]);
  } catch {
    throw damaged;
  }
  return bytes;
}
