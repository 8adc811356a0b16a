import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'

/** Warn if the certificate expires within this many days. */
const WARNING_DAYS = 14
const DAY_MILLISECONDS = 86_400_000
const TIMEOUT_MS = 5000

/** Checks the certificate that clients see at PUBLIC_URL. */
export const publicCertificateCheck: Check = {
  failure: 'public-certificate',
  mend: 'Check the certificate and the address of the proxy in PUBLIC_URL.',
  async examine({ config: { publicUrl } }) {
    if (publicUrl === null) return []
    const { protocol, hostname, port } = new URL(publicUrl)
    if (protocol !== 'https:') return []
    const found = await certificateAt(hostname.replace(/^\[|\]$/g, ''), Number(port || 443))
    return [judgeCertificate(hostname, found, Date.now())]
  },
}

interface Found {
  endsAt: Date
  /** Why clients reject it, or null. */
  refusal: string | null
}

/** Judges a certificate at a time in milliseconds. */
export function judgeCertificate(host: string, { endsAt, refusal }: Found, now: number): Finding {
  if (refusal !== null)
    return fault(
      'public-certificate',
      `clients reject the certificate of ${host}: ${refusal}`,
      'Install a valid certificate in the proxy.',
    )
  const until = `the certificate of ${host} expires at ${endsAt.toISOString()}`
  return endsAt.getTime() - now > WARNING_DAYS * DAY_MILLISECONDS
    ? ok('proxies', until)
    : warning('public-certificate', until, 'Renew it in the proxy.')
}

/** Returns a server's certificate, and why it would be rejected. */
function certificateAt(host: string, port: number): Promise<Found> {
  return new Promise((resolve, reject) => {
    const socket = connect(
      {
        host,
        port,
        ...(isIP(host) === 0 && { servername: host }),
        rejectUnauthorized: false,
        timeout: TIMEOUT_MS,
      },
      () => {
        const certificate = socket.getPeerX509Certificate()
        socket.destroy()
        if (!certificate) return reject(new Error('no certificate'))
        const error = socket.authorizationError as Error | string | undefined
        resolve({
          endsAt: certificate.validToDate,
          refusal: error ? String((error as Error).message ?? error) : null,
        })
      },
    )
    socket.once('timeout', () => socket.destroy(new Error(`${host}:${port} does not respond`)))
    socket.once('error', reject)
  })
}
