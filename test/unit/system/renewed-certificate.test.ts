import { createPrivateKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificateFault, RenewedCertificate } from '../../../src/system/renewed-certificate.ts';
import {
  RSA_CERTIFICATE,
  RSA_KEY,
  SELF_SIGNED_CERTIFICATE,
  SELF_SIGNED_KEY,
} from '../../support/self-signed.ts';

const RSA = { cert: RSA_CERTIFICATE, key: RSA_KEY };
const ECDSA = { cert: SELF_SIGNED_CERTIFICATE, key: SELF_SIGNED_KEY };

const ENCRYPTED = createPrivateKey(ECDSA.key)
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
  .toString();

test.each([
  ['no text', ECDSA.key, 'c.pem holds no certificate'],
  [ECDSA.key, ECDSA.key, 'c.pem holds no certificate'],
  [ECDSA.cert, ECDSA.cert, 'k.pem holds no private key'],
  [ECDSA.cert, RSA.key, 'k.pem does not belong to c.pem'],
  [ECDSA.cert, ENCRYPTED, 'k.pem is encrypted; decrypt it with: openssl pkey -in k.pem'],
  [ECDSA.cert, ECDSA.key, undefined],
  [ECDSA.key + ECDSA.cert, ECDSA.cert + ECDSA.key, undefined],
])('what is wrong with a certificate and its key is said, case %#', (cert, key, expected) => {
  expect(certificateFault({ cert, key }, { cert: 'c.pem', key: 'k.pem' })).toBe(expected);
});

test('a renewed certificate is used once, and one that cannot be used leaves the one before', async () => {
  const used: string[] = [];
  let files = RSA;
  const certificate = new RenewedCertificate(
    RSA,
    async () => files,
    ({ cert }) => {
      if (cert === '') throw new Error('unusable');
      used.push(cert);
    },
  );
  expect(await certificate.renew()).toBeUndefined();
  files = { ...RSA, cert: '' };
  await expect(certificate.renew()).rejects.toThrow('unusable');
  await expect(certificate.renew()).rejects.toThrow('unusable');
  files = ECDSA;
  expect(await Promise.all([certificate.renew(), certificate.renew()])).toEqual([ECDSA, undefined]);
  expect(used).toEqual([ECDSA.cert]);
});
