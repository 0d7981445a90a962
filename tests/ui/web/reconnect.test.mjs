/* A connection that was lost and found: the app runs at once, and what is sent meanwhile waits for the end of the run. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { endsRun, returning } from '../../../ui/web/base/reconnect.js';

// Written by Streamlit's own ForwardMsg: a hash and metadata, then script_finished (field 6) or another field.
const METADATA = [0x0a, 0x02, 0x61, 0x62, 0x12, 0x03, 0x1a, 0x01, 0x06];
const ENDED = [...METADATA, 0x30, 0x00];

test('the end of a whole run is told from everything else', () => {
  assert.ok(endsRun(Uint8Array.from(ENDED)));
  assert.ok(!endsRun(Uint8Array.from([...METADATA, 0x30, 0x02])), 'ended early, to run again');
  assert.ok(!endsRun(Uint8Array.from([...METADATA, 0x30, 0x03])), 'a fragment alone');
  assert.ok(
    !endsRun(Uint8Array.from([...METADATA, 0x2a, 0x02, 0x30, 0x00])),
    'the same bytes inside another field',
  );
  assert.ok(!endsRun(Uint8Array.from([])));
  assert.ok(!endsRun(Uint8Array.from([0x33, 0xff, 0xff])), 'what is no message');
});

class Socket extends EventTarget {
  static OPEN = 1;
  readyState = 1;
  sent = [];
  send(data) {
    this.sent.push(data);
  }
}

const later = () => new Promise((done) => setTimeout(done, 5));
const message = (bytes) => Object.assign(new Event('message'), { data: Uint8Array.from(bytes).buffer });

test('what is sent while the app runs again waits for the end of that run', async () => {
  const runs = [];
  const Kind = returning(Socket, () => runs.push('run'));
  const socket = new Kind('ws://x');
  socket.dispatchEvent(new Event('open'));
  socket.send('of Streamlit itself');
  await later();
  assert.deepEqual(runs, ['run']);
  socket.send('an action');
  socket.send('another');
  socket.dispatchEvent(message([...METADATA, 0x30, 0x02]));
  assert.deepEqual(socket.sent, ['of Streamlit itself']);
  socket.dispatchEvent(message(ENDED));
  assert.deepEqual(socket.sent, ['of Streamlit itself', 'an action', 'another']);
  socket.send('a third');
  socket.dispatchEvent(message(ENDED));
  assert.deepEqual(socket.sent.slice(3), ['a third']);
  assert.equal(runs.length, 1);
});

test('a socket that has closed again runs and sends nothing', async () => {
  const runs = [];
  const socket = new (returning(Socket, () => runs.push('run')))('ws://x');
  socket.dispatchEvent(new Event('open'));
  socket.readyState = 3;
  await later();
  assert.deepEqual(runs, []);
});
