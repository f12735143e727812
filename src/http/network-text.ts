/** What is wrong with a certificate, by the code of the error. */
export const TLS_REASONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate comes from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes from an unknown authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: "its certificate is not valid yet (is this machine's clock right?)",
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** Whether the certificate was refused because no trusted authority has signed it. */
export function isUnknownAuthority(error: unknown): boolean {
  const code = errorCode((error as Error | undefined)?.cause ?? error);
  return TLS_REASONS[code]?.includes('authority') === true || code.startsWith('DEPTH_ZERO');
}

/** An error of the network in words. */
export function networkText(code: string, host: string, error: Error): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `cannot connect to ${host} (connection refused); check ${settingOf(host)}`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `cannot resolve host ${host}; check the name and your network`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${host} reset the connection`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `no route to ${host}; check the network`;
    case 'ETIMEDOUT':
      return `connecting to ${host} timed out`;
    default:
      return `connection to ${host} failed: ${error.message || code}`;
  }
}

/** The setting that leads to a host; that of a proxy is shown as `proxy host:port`. */
export function settingOf(host: string): string {
  return host.startsWith('proxy ') ? '--http-proxy, HTTP_PROXY and HTTPS_PROXY' : 'the endpoint';
}

/** The error's code; of several addresses that were tried, that of the first. */
export function errorCode(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly { code?: unknown }[] };
  const first = code ?? errors?.[0]?.code;
  return typeof first === 'string' ? first : '';
}
