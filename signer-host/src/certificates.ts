import { constants, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type SecureContext } from 'node:tls'
import { ConfigError } from '@ordbook/process/variables.ts'
import type { CertificateEnd, Side } from '@ordbook/signer/link.ts'
import type { Logger } from 'pino'

export const nameOf = (side: Side): string => `ordbook-${side}`

/** Whether a certificate is for a side. Only subjectAltName counts, and wildcards do not match. */
export const isOf = (certificate: X509Certificate, side: Side): boolean =>
  certificate.checkHost(nameOf(side), { subject: 'never', wildcards: false }) !== undefined

/** Paths of a process's certificate, its key, and the authority that must have issued every certificate. */
export interface CertificateFiles {
  certificate: string
  key: string
  authority: string
}

/** The certificate that a process presents, and the authority that it trusts. */
export interface Proof {
  /** For servers, which accept no secure context. */
  options: { cert: string; key: string; ca: string; minVersion: 'TLSv1.3'; secureOptions: number }
  context: SecureContext
  ends: CertificateEnd[]
}

/** Minimum time between two checks for changed files. */
const LOOK_MILLISECONDS = 1000

/**
 * Loads a side's certificates, and reloads them when the files change. If changed files are invalid, the previous certificates stay in use
 * and the error is logged once. Throws ConfigError if the initial files are invalid.
 */
export function proofFrom(files: CertificateFiles, side: Side, log: Logger): () => Proof {
  let texts = readTexts(files)
  let proof = proofOf(files, texts, side)
  let lookedAt = performance.now()
  let fault = ''
  return () => {
    if (performance.now() - lookedAt < LOOK_MILLISECONDS) return proof
    lookedAt = performance.now()
    try {
      const found = readTexts(files)
      if (found.every((text, n) => text === texts[n])) return proof
      proof = proofOf(files, found, side)
      texts = found
      fault = ''
    } catch (error) {
      const { message } = error as Error
      if (message !== fault) log.error({ reason: message }, 'the certificates cannot be renewed')
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
  for (const each of [own!, ...authorities])
    assertValid(each, each === own ? files.certificate : files.authority)
  // Disable session tickets, so that each connection presents its certificate.
  const options = { cert, key, ca, minVersion: 'TLSv1.3', secureOptions: constants.SSL_OP_NO_TICKET } as const
  return {
    options,
    context: createSecureContext(options),
    ends: [
      { of: side, endsAt: own!.validToDate },
      // While an authority is being replaced, the file contains both.
      {
        of: 'authority',
        endsAt: new Date(Math.min(...authorities.map((each) => each.validToDate.getTime()))),
      },
    ],
  }
}

/** Throws ConfigError if a file has no certificate. */
function certificatesIn(file: string, text: string): X509Certificate[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    if (found.length > 0) return found.map((each) => new X509Certificate(each))
  } catch {}
  throw new ConfigError(`${file} holds no certificate in PEM`)
}

function keyIn(file: string, text: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch {
    throw new ConfigError(`${file} holds no private key in PEM without a passphrase`)
  }
}

function assertValid({ validFromDate, validToDate }: X509Certificate, file: string): void {
  const now = Date.now()
  if (now > validToDate.getTime())
    throw new ConfigError(`${file} expired at ${validToDate.toISOString()}: renew it`)
  if (now < validFromDate.getTime())
    throw new ConfigError(`${file} is not valid before ${validFromDate.toISOString()}: is the clock right?`)
}
