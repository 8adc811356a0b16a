import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import type { Queryable } from '@ordbook/db/driver/connect.ts'
import type { Config } from '@ordbook/db/settings/config.ts'
import type { MarketKeys } from '@ordbook/signer/requests.ts'
import { hashOf, lineOf, PAGE, startOf } from './chain.ts'
import { findHash, findSignedHead, listHashed } from './queries.ts'
import type { PublicLog } from './routes.ts'

/** Returns the order log of this market. `reads` may be a replica. */
export function publicLogOf({
  reads,
  config,
  market,
}: {
  reads: Queryable
  config: Pick<Config, 'chain'>
  market: Pick<MarketKeys, 'cosignKey'>
}): PublicLog {
  const identity = { network: config.chain, market: bytesToHex(market.cosignKey) }
  return {
    head: async () => ({ ...identity, head: await findSignedHead(reads) }),
    async page(after) {
      let previous = after === 0 ? startOf(config.chain) : await findHash(reads, after)
      if (previous === null) return { lines: Buffer.alloc(0), isFinished: false }
      const { changes, isFinished } = await listHashed(reads, after, PAGE)
      let text = ''
      for (const { position, hash, change } of changes) {
        const line = lineOf(position, previous, change)
        if (hashOf(line) !== hash)
          throw new Error(`Change ${position} of the order log differs from its hash.`)
        text += `${line}\n`
        previous = hash
      }
      return { lines: Buffer.from(text), isFinished }
    },
  }
}
