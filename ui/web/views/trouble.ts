/* Hands what speaks against a translation to the stage of the page, which has kept its place. Draws nothing. */

/** @import { Mounting } from '../types' */

import { announce } from '../base/events.js';

/** `shares` are ALTI+ (T, S) of the same decode. @typedef {{ decode: string, lines: string[], told: [string, string][], shares: any }} Strip */

/** @param {Mounting<Strip>} args */
export default function view({ data }) {
  announce('trouble', data);
}
