/* Hands what speaks against a translation to the stage of the page, which has kept its place. Draws nothing. */

import type { Topics } from '../web/base/events.ts';
import type { Mounting } from '../web/base/view.ts';
import { announce } from '../web/base/events.ts';

export default function view({ data }: Mounting<Topics['trouble']>) {
  announce('trouble', data);
}
