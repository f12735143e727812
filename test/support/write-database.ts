import { Database } from '../../src/state/database.ts';

// Adds rows to the database of `database.test.ts`, each in a transaction: `<folder> <prefix of their names> <count>`.
const [dir = '', prefix = '', count = '0'] = process.argv.slice(2);
const database = await Database.open(
  dir,
  {
    file: 'test.db',
    title: 'the test',
    steps: ['CREATE TABLE pairs (name TEXT PRIMARY KEY, value INTEGER)'],
  },
  () => {},
);
for (let at = 0; at < Number(count); at++) {
  await database.write(() => database.run('INSERT INTO pairs VALUES (?, 1)', `${prefix}${at}`));
}
database.close();
