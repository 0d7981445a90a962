/* Draws nothing: hands the terms of one number to the view of the cards (inside.ts), so that a click sends no matrix again. */

import type { Mounting } from '../web/base/view.ts';
import type { TermsData } from '../web/generated/types.ts';
import { revive } from '../web/base/data.ts';
import { announce } from '../web/base/events.ts';

export default function view({ data }: Mounting) {
  announce('inside-terms', revive<TermsData>(data).why);
}
