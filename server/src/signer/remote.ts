import { type RequestOptions, request } from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import { pack, unpack } from '../db/pack.ts'
import { unavailable } from '../errors.ts'
import { type MarketKeys, type Signed, type Signer, SignerRefusal } from './signer.ts'

/**
 * The signer process, over its socket. TLS with a shared key is what both sides prove themselves with: neither talks to
 * anybody who does not hold it.
 */
export const PSK = {
  identity: 'ordbook',
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305:DHE-PSK-CHACHA20-POLY1305',
  // Pre-shared keys are a matter of TLS 1.2 in Node.
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const

/** Longest that a signature may take. */
const TIMEOUT_MILLISECONDS = 15_000

/** Connects to a signer process. Throws unavailable when it does not answer or does not hold the secret. */
export async function remoteSigner(socket: string, secret: Uint8Array): Promise<Signer> {
  const ask = async <T>(call: keyof Signer, payload: object): Promise<T> => {
    const { status, body } = await post(socket, secret, call, JSON.stringify(pack(payload))).catch(
      (cause) => {
        throw unavailable('The signer does not answer right now; try again shortly', cause)
      },
    )
    const answer = unpack<{ result: T; refusal?: string }>(JSON.parse(body))
    if (status === 200) return answer.result
    throw new SignerRefusal(answer.refusal ?? `the signer answered ${status}`)
  }
  return {
    keys: await ask<MarketKeys>('keys', {}),
    signSettlement: (settlement) => ask<Signed[]>('signSettlement', settlement),
    signRecovery: (recovery) => ask<Signed>('signRecovery', recovery),
    signCoins: (coins) => ask<Signed>('signCoins', coins),
    revoke: (transferTxids) => ask('revoke', transferTxids),
  }
}

function post(
  socketPath: string,
  secret: Uint8Array,
  call: string,
  payload: string,
): Promise<{ status: number; body: string }> {
  return new Promise((done, fail) => {
    const options: RequestOptions & ConnectionOptions = {
      ...PSK,
      socketPath,
      path: `/${call}`,
      method: 'POST',
      agent: false,
      timeout: TIMEOUT_MILLISECONDS,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) },
      pskCallback: () => ({ psk: secret, identity: PSK.identity }),
      // Who holds the key is the signer: there is no certificate to look at.
      checkServerIdentity: () => undefined,
    }
    const sent = request(options, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (body += chunk))
      response.once('end', () => done({ status: response.statusCode ?? 0, body })).once('error', fail)
    })
    sent.once('timeout', () => sent.destroy(new Error('timed out'))).once('error', fail)
    sent.end(payload)
  })
}
