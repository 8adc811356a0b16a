import { appendFileSync, chmodSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pino } from 'pino'
import { type Config, ConfigError, readConfig } from '../config.ts'
import { pack, unpack } from '../db/pack.ts'
import { localSigner, type Revocations, readSecret } from './local.ts'
import { readSeed } from './open.ts'
import { PSK } from './remote.ts'
import { type Signer, SignerRefusal } from './signer.ts'

/**
 * `npm run signer`: the market's keys in a process of their own, for another user or container than the API. It listens
 * on a local socket, signs what its policy allows, and writes down what was delisted before it says so.
 */
const MOST_BYTES = 4 << 20

/** Starts the signer of a configuration on its socket. */
export async function startSigner(config: Config): Promise<{ server: Server; made: boolean }> {
  const { signerSocket, dataDir } = config
  if (!signerSocket) throw new ConfigError('SIGNER_SOCKET: expected the path of the socket to listen on')
  const { seed, made } = readSeed(config)
  const { secret } = readSecret(config.signerSecretFile ?? join(dataDir, 'signer.secret'))
  const signer = localSigner(
    seed,
    { maxFeeRateSatVb: config.feeRateMaxSatVb },
    revocationsIn(join(dataDir, 'revoked.txt')),
  )
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }))
  const server = createServer(
    {
      ...PSK,
      pskCallback: (_socket: unknown, identity: string) => (identity === PSK.identity ? secret : null),
    },
    (request, response) => {
      let body = ''
      request.setEncoding('utf8')
      request.on('data', (chunk: string) => {
        body += chunk
        if (body.length > MOST_BYTES) request.destroy()
      })
      request.once('end', async () => {
        const call = request.url!.slice(1)
        const [status, answer] = await answerTo(signer, call, body).catch((error: unknown) => {
          log.error({ err: error, call }, 'the signer failed')
          return [500, { refusal: 'the signer failed; its log says why' }] as const
        })
        if (status === 403) log.warn({ call, ...answer }, 'refused')
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(pack(answer)))
      })
    },
  )
  rmSync(signerSocket, { force: true })
  await new Promise<void>((done, fail) => server.once('error', fail).listen(signerSocket, done))
  chmodSync(signerSocket, 0o660)
  return { server, made }
}

async function answerTo(
  signer: Signer,
  call: string,
  body: string,
): Promise<readonly [number, { result: unknown } | { refusal: string }]> {
  if (!Object.hasOwn(signer, call)) return [404, { refusal: `the signer knows no ${call}` }]
  try {
    const payload = unpack<never>(JSON.parse(body))
    const asked = signer[call as keyof Signer]
    return [200, { result: (typeof asked === 'function' ? await asked(payload) : asked) ?? null }]
  } catch (error) {
    if (error instanceof SignerRefusal) return [403, { refusal: error.message }]
    // Terms that make no sense break somewhere in the kernel: nothing was signed.
    if (error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError)
      return [403, { refusal: `the request makes no sense: ${error.message}` }]
    throw error
  }
}

/** Txids in a file, one a line, written before they count as taken. */
function revocationsIn(file: string): Revocations {
  const known = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
  return {
    has: (txid) => known.has(txid),
    add(txids) {
      const fresh = txids.filter((txid) => /^[0-9a-f]{64}$/.test(txid) && !known.has(txid))
      if (fresh.length > 0) appendFileSync(file, `${fresh.join('\n')}\n`, { mode: 0o600, flush: true })
      for (const txid of fresh) known.add(txid)
    },
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    const config = readConfig(process.env)
    const { server, made } = await startSigner(config)
    console.log(`ordbook signer on ${config.signerSocket}`)
    if (made)
      console.log('made a new market key: back up market.key, the coins of the market are lost without it')
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        server.close(() => process.exit(0))
        server.closeAllConnections()
      })
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error)
    process.exit(1)
  }
}
