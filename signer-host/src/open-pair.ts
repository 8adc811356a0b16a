import { hash } from 'node:crypto'
import type { Server } from 'node:https'
import { addressOf } from '@ordbook/process/address.ts'
import { parsing } from '@ordbook/process/parse.ts'
import { ConfigError } from '@ordbook/process/variables.ts'
import type { Journal } from '@ordbook/signer/journal.ts'
import type { Holder } from '@ordbook/signer/link.ts'
import { SignerRefusal } from '@ordbook/signer/requests.ts'
import { requestOnce, serveCalls } from '@ordbook/signer/transport.ts'
import type { Logger } from 'pino'
import type { KeyConfig } from './config.ts'
import { proofOf } from './link-of.ts'
import { networkLink } from './network-link.ts'
import { LEASE_MILLISECONDS, Pair } from './pair.ts'
import { type AppendAnswer, pairCalls } from './pair-calls.ts'

/** Opened keys with their journal. */
export interface OpenKeys {
  journal: Journal
  /** Concatenated public keys. */
  publicKeys: Uint8Array
}

/** Joins the configured pair and listens for the other host. Returns null without a pair. Throws ConfigError. */
export async function openPair(
  config: KeyConfig,
  holder: Holder,
  { journal, publicKeys }: OpenKeys,
  log: Logger,
): Promise<{ pair: Pair; server: Server } | null> {
  const name = config[`${holder}Host`]
  if (name === null) return null
  const sockets = [config[`${holder}PairSocket`], config[`${holder}PeerSocket`]]
  const prefix = holder.toUpperCase()
  if (sockets.includes(null))
    throw new ConfigError(`${prefix}_HOST: ${name} requires ${prefix}_PAIR_SOCKET and ${prefix}_PEER_SOCKET`)
  const proof = proofOf(config, holder, `${prefix}_HOST: ${name}`, log)
  const [own, peer] = sockets.map((socket) =>
    networkLink(addressOf(socket!)!, { holder, asker: holder }, proof),
  )
  const ask = (call: keyof typeof pairCalls, request: unknown) =>
    requestOnce(peer!, { call, schemas: pairCalls[call], request, milliseconds: LEASE_MILLISECONDS })
  const pair = new Pair(
    journal,
    { name, keys: hash('sha256', publicKeys), setting: `${prefix}_FORCE_TERM` },
    {
      append: async (request) => (await ask('append', request)) as AppendAnswer,
      release: async (request) => (await ask('release', request)) as boolean,
    },
    log,
  )
  const api = parsing(
    pairCalls,
    {
      append: (request: Parameters<Pair['append']>[0]) => pair.append(request),
      release: (request: Parameters<Pair['release']>[0]) => pair.release(request),
    },
    (reason) => new SignerRefusal(reason),
  )
  const server = await serveCalls(own!, { calls: pairCalls, api, mark: () => journal.mark() }, log)
  const alone = config[`${holder}ForceTerm`]
  if (alone !== null) pair.beginAlone(alone)
  pair.run()
  return { pair, server }
}
