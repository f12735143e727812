import type { GraphOperation } from '../graph-fault.ts';
import { type GraphLie, type GraphLies, strangerAnswer } from './graph-lie.ts';

/** Every request that syncer makes of a drive, but for the login and for contents. */
const ALL: readonly GraphOperation[] = [
  'getDrive',
  'getItem',
  'patchItem',
  'deleteItem',
  'permanentDelete',
  'listChildren',
  'createFolder',
  'delta',
  'putContent',
  'createUploadSession',
  'copy',
  'createLink',
  'listPermissions',
  'deletePermission',
  'listVersions',
  'deleteVersion',
  'restoreVersion',
  'putFragment',
  'getSession',
  'deleteSession',
  'monitor',
  'batch',
];

const PAGE = '<!DOCTYPE html>\n<html><head><title>Welcome</title></head><body>Log in</body></html>';

const instead = (about: string, answer: ReturnType<typeof strangerAnswer>): GraphLie => ({
  about,
  of: ALL,
  tell: () => answer,
});

const after = (about: string, answer: ReturnType<typeof strangerAnswer>): GraphLie => ({
  about,
  of: ALL,
  tell({ ask }) {
    const truth = ask();
    return truth.status < 300 ? answer : truth;
  },
});

/** Lies that can be told about any request: the first ones do not even ask the service. */
export const ANY_LIES: GraphLies = {
  'html-200': instead('a web page with status 200', strangerAnswer(200, PAGE)),
  'empty-200': instead('status 200 and nothing else', strangerAnswer(200)),
  'empty-202': instead('status 202 and nothing else', strangerAnswer(202)),
  'empty-204': instead('status 204 of something before the service', strangerAnswer(204)),
  'array-200': instead('a JSON list', strangerAnswer(200, '[]', 'application/json')),
  'object-200': instead(
    'another JSON object',
    strangerAnswer(200, '{"ok":true}', 'application/json'),
  ),
  'error-200': instead(
    'an error with status 200',
    strangerAnswer(200, '{"error":{"code":"accessDenied"}}', 'application/json'),
  ),
  'redirect-login': {
    about: 'a redirect to the page of a hotel',
    of: ALL,
    tell: () => ({ ...strangerAnswer(302), headers: { location: 'https://login.invalid/' } }),
  },
  'not-modified': instead('status 304, though nothing was asked on condition', strangerAnswer(304)),
  'html-404': instead('a web page with status 404', strangerAnswer(404, PAGE)),
  'html-after': after('the service does it, and a web page comes back', strangerAnswer(200, PAGE)),
  'empty-after': after('the service does it, and nothing comes back', strangerAnswer(200)),
};
