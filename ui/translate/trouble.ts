/* Hands what speaks against a translation to the stage of the page, which has kept room for it. Draws nothing. */

import type { Mounting } from '../web/base/view.ts';
import type { StripData } from '../web/generated/types.ts';
import { revive } from '../web/base/data.ts';
import { announce } from '../web/base/events.ts';

export default function view({ data }: Mounting) {
  announce('trouble', revive<StripData>(data));
}
