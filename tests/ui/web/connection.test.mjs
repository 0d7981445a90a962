/* What is held, let through and sent again while the connection to the server is gone. */

import assert from 'node:assert/strict';
import test from 'node:test';

import { Line, asks, ends, fieldsOf } from '../../../ui/web/base/connection.ts';

/** A field of bytes. @param {number} number @param {number[]} bytes */
const field = (number, bytes) => [(number << 3) | 2, bytes.length, ...bytes];
/** @param {string} words */
const letters = (words) => [...words].map((letter) => letter.charCodeAt(0));
/** A message that asks for a run. @param {string} query @param {string} fragment @param {number[]} more */
const run = (query, fragment = '', more = []) =>
  Uint8Array.from(
    field(11, [...field(1, letters(query)), ...(fragment ? field(5, letters(fragment)) : []), ...more]),
  );
const finished = (status = 0) => Uint8Array.from([...field(2, [8, 1]), 6 << 3, status]);

/** A line whose sent messages are kept. */
function lineWith() {
  const sent = /** @type {Uint8Array[]} */ ([]);
  let drawn = 0;
  const here = { connected: true };
  const line = new Line({ draw: () => (drawn += 1), connected: () => here.connected });
  line.opened((bytes) => sent.push(bytes), false);
  return { line, sent, here, drawn: () => drawn };
}

test('messages are told apart by what they ask for', () => {
  assert.equal(asks(run('a=1')), 'page');
  assert.equal(asks(run('a=1', 'f1')), 'fragment');
  assert.equal(asks(run('a=1', 'f1', [6 << 3, 1])), 'other', 'a timer asks by itself');
  assert.equal(asks(Uint8Array.from([10 << 3, 1])), 'other');
  assert.deepEqual(
    [0, 1, 2, 3].map((status) => ends(finished(status))),
    [true, false, false, true],
  );
  assert.equal(ends(run('a=1')), false);
  assert.deepEqual(fieldsOf(Uint8Array.from([(1 << 3) | 2, 200, 1])), [], 'a length beyond the end');
});

test('an open line lets everything through at once', () => {
  const { line, sent, drawn } = lineWith();
  for (const message of [run('a'), run('b', 'f')]) line.send(message);
  assert.equal(sent.length, 2);
  assert.equal(drawn(), 0);
});

test('a connection made again draws the page first and then sends what was held, once and in order', () => {
  const { line, sent, drawn } = lineWith();
  line.closed();
  const again = /** @type {Uint8Array[]} */ ([]);
  line.opened((bytes) => again.push(bytes), true);
  assert.equal(drawn(), 1);
  line.send(run('page'));
  line.send(run('typed'));
  line.send(run('click', 'f'));
  assert.deepEqual(again, [run('page')]);
  line.heard(finished(2));
  assert.equal(again.length, 1, 'a run that was broken off has drawn nothing');
  line.heard(finished());
  assert.deepEqual(again, [run('page'), run('typed'), run('click', 'f')]);
  line.heard(finished());
  line.heard(finished());
  assert.equal(again.length, 3);
  assert.equal(sent.length, 0);
});

test('what the old connection never answered is sent again, once', () => {
  const { line } = lineWith();
  line.send(run('answered'));
  line.heard(finished());
  line.send(run('lost', 'f'));
  line.closed();
  const again = /** @type {Uint8Array[]} */ ([]);
  line.opened((bytes) => again.push(bytes), true);
  line.send(run('page'));
  line.heard(finished());
  assert.deepEqual(again, [run('page'), run('lost', 'f')]);
  line.heard(finished(3));
  line.closed();
  line.opened((bytes) => again.push(bytes), true);
  line.send(run('page'));
  line.heard(finished());
  assert.equal(again.length, 3, 'it was answered');
});

test('an action that is held and was not answered before goes out once', () => {
  const { line } = lineWith();
  line.send(run('click', 'f'));
  line.closed();
  line.send(run('click', 'f'));
  const again = /** @type {Uint8Array[]} */ ([]);
  line.opened((bytes) => again.push(bytes), true);
  line.send(run('page'));
  line.heard(finished());
  assert.deepEqual(again, [run('page'), run('click', 'f')]);
});

test('a view tells as soon as the page is there again', () => {
  const { line } = lineWith();
  const told = /** @type {string[]} */ ([]);
  line.tell(() => told.push('at once'));
  line.closed();
  line.tell(() => told.push('later'));
  assert.deepEqual(told, ['at once']);
  line.opened(() => {}, true);
  line.send(run('page'));
  line.heard(finished());
  line.tell(() => told.push('again'));
  assert.deepEqual(told, ['at once', 'later', 'again']);
});

test('a view waits where Streamlit has lost a connection that this page never sent by', () => {
  const { line, here } = lineWith();
  const told = /** @type {string[]} */ ([]);
  here.connected = false;
  line.tell(() => told.push('later'));
  assert.deepEqual(told, []);
  line.opened(() => {}, true);
  here.connected = true;
  line.send(run('page'));
  line.heard(finished());
  assert.deepEqual(told, ['later']);
});
