import { groupFlags, list } from '../../../core/flags.ts';
import { offerPass } from '../../pass.ts';

/** `--name-transform`. */
export const NAMES = offerPass({
  flags: groupFlags('copy', {
    'name-transform': list(
      'Change names on the way to the destination, e.g. lowercase, all,prefix=x',
      {
        placeholder: 'change',
        // `command=` starts a program.
        decides: (change: string) => !/^[^=]*command/i.test(change),
      },
    ),
  }),
  after: 'metadata-mapper',
  async open(flags, { context: { clock, signal } }) {
    const { 'name-transform': texts } = flags;
    if (texts.length === 0) return undefined;
    const { nameTransform } = await import('./names.ts');
    const transform = nameTransform(texts, { nowMs: clock.now(), signal });
    return { byFile: true, transform, make: () => undefined };
  },
});
