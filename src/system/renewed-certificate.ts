import type { KeyObject, X509Certificate } from 'node:crypto';

/** What a TLS server shows, in PEM: its certificates, their key, and the authority whose clients it accepts. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
  readonly ca?: string;
}

/** The certificate of a server, whose files are read again while it serves. */
export class RenewedCertificate<Pair extends CertificatePair> {
  readonly #read: () => Promise<Pair>;
  readonly #use: (pair: Pair) => void;
  #served: Pair;
  #renewing: Promise<unknown> = Promise.resolve();

  /**
   * @param served the one that is served
   * @param read reads the files; rejects with why they cannot be used
   * @param use serves another one to new connections
   */
  constructor(served: Pair, read: () => Promise<Pair>, use: (pair: Pair) => void) {
    this.#served = served;
    this.#read = read;
    this.#use = use;
  }

  /** Serves what the files hold now; resolves to that if it is another certificate. Rejects if the one before stays. */
  renew(): Promise<Pair | undefined> {
    const renewing = this.#renewing.then(async () => {
      const pair = await this.#read();
      const { cert, key, ca } = this.#served;
      if (pair.cert === cert && pair.key === key && pair.ca === ca) return undefined;
      this.#use(pair);
      this.#served = pair;
      return pair;
    });
    this.#renewing = renewing.catch(() => {});
    return renewing;
  }
}

/** Why a certificate and its key, from the files of these paths, cannot be used; `undefined` if they can. */
export function certificateFault(
  { cert, key }: CertificatePair,
  paths: { readonly cert: string; readonly key: string },
): string | undefined {
  // Not imported: every start would load it.
  const crypto = process.getBuiltinModule('node:crypto');
  let certificate: X509Certificate;
  try {
    certificate = new crypto.X509Certificate(cert);
  } catch {
    return `${paths.cert} holds no certificate`;
  }
  let privateKey: KeyObject;
  try {
    privateKey = crypto.createPrivateKey(key);
  } catch {
    if (!key.includes('ENCRYPTED')) return `${paths.key} holds no private key`;
    return `${paths.key} is encrypted; decrypt it with: openssl pkey -in ${paths.key}`;
  }
  if (certificate.checkPrivateKey(privateKey)) return undefined;
  return `${paths.key} does not belong to ${paths.cert}`;
}
