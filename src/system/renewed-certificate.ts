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
