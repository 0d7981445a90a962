/* Hands what speaks against a translation to the stage of the page, which has kept its place. Draws nothing. */

import type { Topics } from '../base/topics.ts';
import type { Mounting } from '../base/view.ts';
import { announce } from '../base/events.ts';

export default function view({ data }: Mounting<Topics['trouble']>) {
  announce('trouble', data);
}
