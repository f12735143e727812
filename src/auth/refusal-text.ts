/** What the codes of Microsoft's login server (AADSTS…) and of OAuth 2.0 mean for people. */
const MEANINGS: Readonly<Record<string, string>> = {
  AADSTS7000215: 'the client_secret is wrong (it must be its value, not its id)',
  AADSTS7000222: 'the client_secret has expired: make a new one for the application',
  AADSTS7000218: 'the application needs a client_secret',
  AADSTS700016: 'the directory does not know an application of this client_id',
  AADSTS50011: 'the redirect address is not among those of the application: add it there',
  AADSTS65001: 'nobody has allowed the application what it asks for',
  AADSTS65004: 'the permissions were declined',
  AADSTS90094: 'an administrator of the organisation has to allow the application first',
  AADSTS90008: 'an administrator of the organisation has to allow the application first',
  AADSTS50194: 'the application is for one organisation only: set tenant to its id',
  AADSTS50020: 'this account does not belong to the organisation of the application',
  AADSTS50076: 'the organisation wants a second factor',
  AADSTS50079: 'the organisation wants a second factor',
  AADSTS50173: 'the login was withdrawn, as after a change of the password',
  AADSTS70008: 'the login was not used for too long',
  AADSTS700082: 'the login was not used for too long',
  access_denied: 'the login was declined',
  authorization_declined: 'the login was declined',
  invalid_client: 'client_id or client_secret is wrong',
  unauthorized_client: 'the application may not log in like this',
  invalid_scope: 'the application may not ask for these permissions (access_scopes)',
  invalid_grant: 'the login is no longer valid',
  interaction_required: 'somebody has to sign in again',
  consent_required: 'nobody has allowed the application what it asks for',
  login_required: 'somebody has to sign in again',
  temporarily_unavailable: 'the login server is busy',
};

/**
 * One line that says why a login server refused. Of its own words only codes are taken: the rest may hold what is
 * secret.
 */
export function refusalText(error: string, description: string, status: number): string {
  const detail = /\bAADSTS\d+\b/.exec(description)?.[0] ?? '';
  const meaning = MEANINGS[detail] ?? MEANINGS[error] ?? 'the login server refused';
  const codes = [/^[a-z_]{1,40}$/.test(error) ? error : '', detail].filter((code) => code !== '');
  return `${meaning} (${codes.length === 0 ? status : codes.join(', ')})`;
}
