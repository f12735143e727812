import { constants } from 'node:crypto';
import { getCiphers } from 'node:tls';

/** TLS versions by the names of the command line. */
const VERSIONS: Readonly<Record<string, 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'>> = {
  '': 'TLSv1.2',
  '1.0': 'TLSv1',
  '1.1': 'TLSv1.1',
  '1.2': 'TLSv1.2',
  '1.3': 'TLSv1.3',
};

/** The suites that Go has for a server with a certificate. */
const OFFERED =
  /^TLS_(?:(?:ECDHE_(?:ECDSA|RSA)|RSA)_WITH_)?(?:AES_\d+_(?:GCM_SHA\d+|CBC_SHA)|CHACHA20_POLY1305_SHA256)$/;
const OF_TLS_1_3 = /^TLS_(?:AES|CHACHA20)/;
/** What is preferred, best first: keys that are forgotten, then authenticated encryption. */
const PREFERENCE = [OF_TLS_1_3, /^TLS_ECDHE_.*_(?:GCM|POLY1305)_/, /^TLS_ECDHE_/, /_GCM_/, /^/];

/** The names of the suites that can be used from this version on, as Go writes them. Throws for an unknown version. */
export function cipherSuites(minVersion: string): string[] {
  const only13 = tlsVersion(minVersion) === 'TLSv1.3';
  const names = [...offered().keys()];
  return only13 ? names.filter((name) => OF_TLS_1_3.test(name)) : names;
}

/** The suites that Node offers, and their names in OpenSSL. */
function offered(): Map<string, string> {
  const all = getCiphers().map((name) => name.toUpperCase());
  return new Map(
    all.map((name) => [ianaName(name), name] as const).filter(([name]) => OFFERED.test(name)),
  );
}

/** The name that IANA and Go have for a suite of OpenSSL; theirs stay. */
function ianaName(openssl: string): string {
  const name = openssl
    .replace(/^AES/, 'RSA-AES')
    .replace(/-AES(\d+)-/, '_WITH_AES_$1_')
    .replace(/_(?=SHA\d*$)/, '_CBC_')
    .replace('-CHACHA20-POLY1305', '_WITH_CHACHA20_POLY1305_SHA256')
    .replaceAll('-', '_');
  return openssl.startsWith('TLS_') ? openssl : `TLS_${name}`;
}

/** Node's options for what the command line says: names of Go or OpenSSL. Throws for an unknown version or suite. */
export function tlsOptions(minVersion: string, suites: string) {
  const known = offered();
  const names = suites === '' ? cipherSuites(minVersion) : suites.split(',');
  const chosen = names.map((given) => {
    const name = ianaName(given);
    if (!known.has(name)) throw new Error(`error: unknown TLS cipher suite: ${given}`);
    return name;
  });
  // The suites of TLS 1.3 cannot be chosen, as in Go; the old versions need a lower level of OpenSSL.
  const all = new Set([...cipherSuites('1.3'), ...chosen]);
  // The order of the flag does not count, as in Go.
  const preference = (name: string) => PREFERENCE.findIndex((kind) => kind.test(name));
  const ordered = [...all].sort((a, b) => preference(a) - preference(b));
  const version = tlsVersion(minVersion);
  const level = version === 'TLSv1' || version === 'TLSv1.1' ? ':@SECLEVEL=0' : '';
  return {
    minVersion: version,
    ciphers: `${ordered.map((name) => known.get(name)).join(':')}${level}`,
    honorCipherOrder: true,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

function tlsVersion(text: string) {
  const version = Object.hasOwn(VERSIONS, text) ? VERSIONS[text] : undefined;
  if (version === undefined) throw new Error(`error: unknown minimum TLS version: ${text}`);
  return version;
}
