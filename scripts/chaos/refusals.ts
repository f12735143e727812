import { type Lies, withText } from '../../test/servers/lies/lie.ts';
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
};
