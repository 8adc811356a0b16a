import { constants, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContext } from 'node:tls'
import { ConfigError } from '@ordbook/process/variables.ts'
import type { CertificateEnd, Side } from '@ordbook/signer/link.ts'
import type { Logger } from 'pino'

export const nameOf = (side: Side): string => `ordbook-${side}`

/** Returns true if a certificate is for a side. Only subjectAltName counts, without wildcards. */
export const isOf = (certificate: X509Certificate, side: Side): boolean =>
  certificate.checkHost(nameOf(side), { subject: 'never', wildcards: false }) !== undefined

/** Paths of a process's certificate and key, and of the authority. */
export interface CertificateFiles {
  certificate: string
  key: string
  authority: string
}

/** Certificates of a process and the authority it trusts. */
export interface Proof {
  /** For servers, which do not accept a secure context. */
  options: { cert: string; key: string; ca: string; minVersion: 'TLSv1.3'; secureOptions: number }
  context: SecureContext
  ends: CertificateEnd[]
}

const CHECK_MILLISECONDS = 1000

/**
 * Loads certificates and reloads them when the files change. If the new files are invalid, keeps the previous certificates and logs the
 * error once. Throws ConfigError if the initial files are invalid.
 */
export function proofFrom(files: CertificateFiles, side: Side, log: Logger): () => Proof {
  let texts = readTexts(files)
  let proof = proofOf(files, texts, side)
  let checkedAt = performance.now()
  let fault = ''
  return () => {
    if (performance.now() - checkedAt < CHECK_MILLISECONDS) return proof
    checkedAt = performance.now()
    try {
      const newTexts = readTexts(files)
      if (newTexts.every((text, n) => text === texts[n])) return proof
      proof = proofOf(files, newTexts, side)
      texts = newTexts
      fault = ''
    } catch (error) {
      const { message } = error as Error
      if (message !== fault)
        log.error({ reason: message }, 'cannot reload certificates, keeping the previous ones')
      fault = message
    }
    return proof
  }
}

type Texts = readonly [certificate: string, key: string, authority: string]

const readTexts = (files: CertificateFiles): Texts => [
  readText(files.certificate),
  readText(files.key),
  readText(files.authority),
]

function readText(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    throw new ConfigError(`cannot read ${file}: ${(error as Error).message}`)
  }
}

function proofOf(files: CertificateFiles, [cert, key, ca]: Texts, side: Side): Proof {
  const [own] = certificatesIn(files.certificate, cert)
  const authorities = certificatesIn(files.authority, ca)
  if (!isOf(own!, side))
    throw new ConfigError(
      `${files.certificate}: found ${own!.subjectAltName ?? 'no name'}, expected a certificate with the name ${nameOf(side)}`,
    )
  if (!own!.checkPrivateKey(keyIn(files.key, key)))
    throw new ConfigError(`${files.key} is not the key of ${files.certificate}`)
  for (const certificate of [own!, ...authorities])
    assertValid(certificate, certificate === own ? files.certificate : files.authority)
  // No session tickets, so that certificates are checked for every connection.
  const options = { cert, key, ca, minVersion: 'TLSv1.3', secureOptions: constants.SSL_OP_NO_TICKET } as const
  return {
    options,
    context: createSecureContext(options),
    ends: [
      { of: side, endsAt: own!.validToDate },
      // The file contains two authorities during a replacement.
      {
        of: 'authority',
        endsAt: new Date(Math.min(...authorities.map(({ validToDate }) => validToDate.getTime()))),
      },
    ],
  }
}

/** Parses the certificates of a file. Throws ConfigError if there are none. */
function certificatesIn(file: string, text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    if (blocks.length > 0) return blocks.map((block) => new X509Certificate(block))
  } catch {}
  throw new ConfigError(`${file} contains no PEM certificate`)
}

function keyIn(file: string, text: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch {
    throw new ConfigError(`${file} contains no PEM private key without a passphrase`)
  }
}

function assertValid({ validFromDate, validToDate }: X509Certificate, file: string): void {
  const now = Date.now()
  if (now > validToDate.getTime())
    throw new ConfigError(`${file} expired at ${validToDate.toISOString()}. Renew the certificate`)
  if (now < validFromDate.getTime())
    throw new ConfigError(`${file} is not valid before ${validFromDate.toISOString()}. Check the clock`)
}
