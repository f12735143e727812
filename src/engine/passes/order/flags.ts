import { bool, groupFlags, text } from '../../../core/flags.ts';
import { offerPass } from '../../pass.ts';

/** `--order-by` and `--check-first`. */
export const ORDER = offerPass({
  flags: groupFlags('copy', {
    'order-by': text("Order of the transfers: name, size or modtime, e.g. 'size,descending'", {
      placeholder: 'order',
    }),
    'check-first': bool('Finish all checks before the first transfer starts'),
  }),
  after: 'error-on-no-transfer',
  usesModTimes: (flags) => flags['order-by']?.startsWith('modtime') === true,
  async open(flags) {
    const { 'order-by': by, 'check-first': checkFirst } = flags;
    if (!by && !checkFirst) return undefined;
    const { orderPass, transferOrder } = await import('./order.ts');
    return orderPass(checkFirst, by ? transferOrder(by) : undefined);
  },
});
