import { answerOf, type Lie, type Lies, withText } from '../../test/servers/lies/lie.ts';
import { askToDelete } from '../../test/servers/lies/remove-lies.ts';

/** Stores that do some of what they are asked, and truly say so. */
export const REFUSALS: Lies = {
  'delete-many-refused': {
    about: 'one of the keys may not be deleted',
    of: ['DeleteObjects'],
    async tell(call) {
      const [, key] = /<Key>(.*?)<\/Key>/s.exec(call.body.toString('utf8')) ?? [];
      if (key === undefined) return undefined;
      const answer = await askToDelete(call, (text) => text.replace(/<Object>.*?<\/Object>/s, ''));
      const error = `<Error><Key>${key}</Key><Code>AccessDenied</Code><Message>no</Message></Error>`;
      return withText(answer, (text) => text.replace('</DeleteResult>', `${error}</DeleteResult>`));
    },
  },
  ...batchRefusals(),
};

/** Refusals that a run must get round: it does what it does without them. */
export const BEARABLE = Object.keys(batchRefusals());

/** Stores that delete single keys, and take no list of them. */
function batchRefusals(): Lies {
  const codes = [
    [400, 'NotImplemented'],
    [400, 'MethodNotAllowed'],
    [400, 'InvalidArgument'],
    [403, 'AccessDenied'],
    [404, 'NoSuchKey'],
    [405, 'MethodNotAllowed'],
    [501, 'NotImplemented'],
  ] as const;
  return Object.fromEntries(
    codes.map(([status, code]): [string, Lie] => [
      `delete-many-${status}-${code}`,
      {
        about: `lists of keys to delete are refused with ${status} ${code}`,
        of: ['DeleteObjects'],
        tell: () => answerOf(status, `<Error><Code>${code}</Code><Message>no</Message></Error>`),
      },
    ]),
  );
}
