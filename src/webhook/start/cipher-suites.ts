import { constants } from 'node:crypto';

/** TLS versions by the names of the command line. */
const VERSIONS: Readonly<Record<string, 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'>> = {
  '': 'TLSv1.2',
  '1.0': 'TLSv1',
  '1.1': 'TLSv1.1',
  '1.2': 'TLSv1.2',
  '1.3': 'TLSv1.3',
};

/** Cipher suites in the order in which Go lists them, with the names that OpenSSL has for them. */
const SUITES: readonly (readonly [name: string, openssl: string])[] = [
  ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
  ['TLS_AES_128_GCM_SHA256', 'TLS_AES_128_GCM_SHA256'],
  ['TLS_AES_256_GCM_SHA384', 'TLS_AES_256_GCM_SHA384'],
  ['TLS_CHACHA20_POLY1305_SHA256', 'TLS_CHACHA20_POLY1305_SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
];
const OF_TLS_1_3 = /^TLS_(?:AES|CHACHA20)/;
/** What is preferred, best first: keys that are forgotten, then authenticated encryption. */
const PREFERENCE = [OF_TLS_1_3, /^TLS_ECDHE_.*_(?:GCM|POLY1305)_/, /^TLS_ECDHE_/, /_GCM_/, /^/];

/** The names of the suites that can be used from this version on. Throws for an unknown version. */
export function cipherSuites(minVersion: string): string[] {
  const only13 = tlsVersion(minVersion) === 'TLSv1.3';
  const names = SUITES.map(([name]) => name);
  return only13 ? names.filter((name) => OF_TLS_1_3.test(name)) : names;
}

/** Node's options for what the command line says. Throws for an unknown version or suite. */
export function tlsOptions(minVersion: string, suites: string) {
  const names = suites === '' ? cipherSuites(minVersion) : suites.split(',');
  const chosen = names.map((name) => {
    const known = SUITES.find(([suite]) => suite === name);
    if (known === undefined) throw new Error(`error: unknown TLS cipher suite: ${name}`);
    return known;
  });
  // The suites of TLS 1.3 cannot be chosen, as in Go; the old versions need a lower level of OpenSSL.
  const all = [...SUITES.filter(([name]) => OF_TLS_1_3.test(name)), ...chosen];
  // The order of the flag does not count, as in Go.
  const preference = (name: string) => PREFERENCE.findIndex((kind) => kind.test(name));
  const ordered = all.toSorted(([a], [b]) => preference(a) - preference(b));
  const version = tlsVersion(minVersion);
  const level = version === 'TLSv1' || version === 'TLSv1.1' ? ':@SECLEVEL=0' : '';
  return {
    minVersion: version,
    ciphers: `${[...new Set(ordered.map(([, openssl]) => openssl))].join(':')}${level}`,
    honorCipherOrder: true,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

function tlsVersion(text: string) {
  const version = Object.hasOwn(VERSIONS, text) ? VERSIONS[text] : undefined;
  if (version === undefined) throw new Error(`error: unknown minimum TLS version: ${text}`);
  return version;
}
