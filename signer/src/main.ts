import type { Server } from 'node:https'
import { pino } from 'pino'
import type { KeyConfig } from './config.ts'
import { openSignerHere } from './open.ts'
import { signerCalls } from './requests.ts'
import { runAlone } from './run-alone.ts'
import { readSignerSecret } from './secret.ts'
import { serveCalls } from './transport.ts'
import { ConfigError } from './variables.ts'

/**
 * `npm run signer`: the market's keys in a process of their own, for another user or container than the API. It listens on a
 * local socket, signs what its policy allows, and writes down what it signs and what was revoked before it answers.
 */

/** Starts the signer of a configuration on its socket. */
async function startSigner(config: KeyConfig): Promise<{ server: Server; made: boolean }> {
  if (!config.signerSocket)
    throw new ConfigError('SIGNER_SOCKET: expected the path of the socket to listen on')
  const { keys: signer, made } = openSignerHere(config, { missing: null, isFirst: false })
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }))
  const served = { calls: signerCalls, api: signer, mark: signer.mark }
  return { server: await serveCalls(config.signerSocket, readSignerSecret(config), served, log), made }
}

await runAlone(async (config) => {
  const { server, made } = await startSigner(config)
  console.log(`ordbook signer on ${config.signerSocket}`)
  if (made)
    console.log(
      'made new keys: back up cosign.key and coins.key, the coins of the market are lost without them',
    )
  return server
})
