import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildRevealScript } from '@ordbook/bitcoin/envelope.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import type { Outpoint } from '@ordbook/bitcoin/outpoint.ts'
import { type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { startNode, type TestNode } from '../../e2e/support/node.ts'

/** Spent by two pushes with the sizes of a signature and a key, so that blocks have a realistic size without signatures. */
const LOCK = Uint8Array.of(0x6d, 0x51)
const SCRIPT = Uint8Array.of(0x00, 0x20, ...sha256(LOCK))
const WITNESS = [new Uint8Array(71).fill(1), new Uint8Array(33).fill(2), LOCK]
const PLAIN = 600
const SEND_MILLISECONDS = 30
const KEY = new Uint8Array(32).fill(3)

interface Coin extends Outpoint {
  valueSats: number
}

function spend(coins: Coin[], values: number[], reveal?: Uint8Array): Tx {
  return {
    version: 2,
    locktime: 0,
    inputs: coins.map(({ txid, vout }, i) => ({
      txid,
      vout,
      scriptSig: new Uint8Array(),
      sequence: 0xfffffffd,
      witness: reveal && i === 0 ? [WITNESS[0]!, reveal, LOCK] : WITNESS,
    })),
    outputs: values.map((valueSats) => ({ valueSats, script: SCRIPT })),
  }
}

const coinsOf = (tx: Tx): Coin[] => {
  const txid = txidOf(tx)
  return tx.outputs.map(({ valueSats }, vout) => ({ txid, vout, valueSats }))
}

/** Blocks before the first full one, and empty ones on top of the last. */
export const FIRST = 113
const DEPTH = 100

/** Checks of regtest that take longer than the blocks. */
const WITHOUT_CHECKS = ['-checkblockindex=0', '-checkmempool=0']

/**
 * Starts a bitcoind with a chain of full blocks, the first at height `FIRST`. Keeps the chain in the cache directory, and makes it only if
 * it is not there.
 */
export async function startFullChain(size: { blocks: number; perBlock: number }): Promise<TestNode> {
  const version = createHash('sha256')
    .update(readFileSync(import.meta.filename))
    .digest('hex')
    .slice(0, 8)
  const kept = join(
    process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
    `ordbook/full-chain/${size.blocks}x${size.perBlock}-${version}`,
  )
  const start = () => startNode('bitcoind', [`-datadir=${kept}`, ...WITHOUT_CHECKS])
  mkdirSync(kept, { recursive: true })
  let node = await start()
  const height = await node.regtest.call<number>('getblockcount')
  if (height === FIRST + size.blocks - 1 + DEPTH) return node
  if (height > 0) {
    // An interrupted benchmark left a part of it.
    await node.stop()
    rmSync(kept, { recursive: true })
    mkdirSync(kept)
    node = await start()
  }
  await fillChain(node, size)
  return node
}

/** Mines `blocks` full blocks, followed by a hundred empty ones. Returns the heights of the full blocks. */
export async function fillChain(
  { regtest }: TestNode,
  { blocks, perBlock }: { blocks: number; perBlock: number },
): Promise<number[]> {
  await regtest.mine(110)
  const seed = await regtest.pay([{ valueSats: 4_500_000_000, script: SCRIPT }])
  await regtest.mine()
  let coins = coinsOf(seed).filter((each) => each.valueSats === 4_500_000_000)
  const count = perBlock * 2
  const share = Math.floor(4_400_000_000 / count)
  const split = spend(coins, Array(count).fill(share))
  await regtest.mineExactly([split])
  coins = coinsOf(split)
  const heights: number[] = []
  let mined = Promise.resolve('')
  for (let n = 0; n < blocks; n++) {
    const transactions: Tx[] = []
    for (let i = 0; i < perBlock; i++) {
      const pair = [coins[2 * i]!, coins[2 * i + 1]!]
      const total = pair[0]!.valueSats + pair[1]!.valueSats - PLAIN
      // Every twentieth transaction inscribes, and another twentieth moves inscriptions of the previous block.
      const reveal =
        i % 20 === 0 && n % 2 === 0
          ? buildRevealScript(KEY, [{ contentType: 'text/plain', body: new Uint8Array(randomBytes(200)) }])
          : undefined
      const half = Math.floor(total / 2)
      transactions.push(spend(pair, [half, total - half], reveal))
    }
    coins = transactions.flatMap(coinsOf)
    await mined
    mined = regtest.mineExactly(transactions)
    // The next block is made while the node checks this one, once it is sent.
    await Promise.race([mined, sleep(SEND_MILLISECONDS)])
    heights.push(FIRST + n)
  }
  await mined
  // Bury the full blocks below the reorg depth.
  await regtest.mine(DEPTH)
  return heights
}
