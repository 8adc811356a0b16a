import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { connect, inTransaction, type Sql } from '@ordbook/db/driver/connect.ts'
import { DatabaseOutage } from '@ordbook/db/driver/outage.ts'
import { findIdentity } from '@ordbook/db/schema/identity.ts'
import { assertMigrated, migrate } from '@ordbook/db/schema/migrate.ts'
import { type Config, ConfigError, readConfig } from '@ordbook/db/settings/config.ts'
import { callRpc, Regtest } from '@ordbook/devnet/regtest.ts'
import { beginAtNode, beginAtOrd } from '@ordbook/indexer/adoption/begin.ts'
import { revealsOf } from '@ordbook/indexer/adoption/reveals.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { openPeer } from '@ordbook/indexer/verify/peer.ts'
import { verifyIndex } from '@ordbook/indexer/verify/verify.ts'
import { addChainCollection, renameTo } from '@ordbook/market/collections/from-chain.ts'
import { listNames, setVerified } from '@ordbook/market/collections/import-queries.ts'
import { printable } from '@ordbook/market/collections/import-report.ts'
import { markParents } from '@ordbook/market/collections/new-children.ts'
import { setCollectionRoyalty } from '@ordbook/market/collections/royalty.ts'
import { listUnexplained } from '@ordbook/market/listings/log-queries.ts'
import { explainTransactions } from '@ordbook/market/market-coins/report-queries.ts'
import { checkRollups, rebuildRollups } from '@ordbook/operations/audit/check.ts'
import { reasonOf } from '@ordbook/operations/doctor/examine.ts'
import { Client, coreSource, verifyReceipt } from '@ordbook/sdk/index.ts'
import { retryFailed } from '@ordbook/site/thumbnails/queries.ts'
import { typed } from '../../cli/src/programs.ts'
import { exitWithUsage, integerIn, readCommand } from '../command.ts'
import { adopterOf, adoptSources } from './adopter.ts'
import { beginWhenReady } from './begin-when-ready.ts'
import { setMaintenance } from './maintenance.ts'
import { printFailure } from './print-failure.ts'
import { progressBar, transactionBar } from './progress-bar.ts'
import { findRunning } from './running.ts'
import { showPool } from './show-pool.ts'
import { showPreviews } from './show-previews.ts'

/** `ordbook market COMMAND`: the operator's commands, with a running server or DATABASE_URL. */
const USAGE = `usage: ordbook market COMMAND

  pool                       Show the market's coins, the costs of the last day and the address to fund; fail if ledger and coins differ
  pool fund SATS             Send sats to that address (regtest only)
  pool explain TXID... --reason TEXT, pool explain all --reason TEXT
                             Record why transactions that this market did not write have spent its coins, such as trades since a
                             restored backup; pool lists them with the reason
  royalty SLUG ADDRESS SELLER_BPS BUYER_BPS
                             Set the creator's royalty of a collection for future listings
  royalty SLUG none          Remove it
  begin                      Begin an empty index at the tip of the ord server at ORD_URL
  begin --from-node          Begin it before the first inscription of the chain, with a node that serves all blocks by REST, without ord
  begin --from-node --rare-sats
                             Also find the rare sats of earlier blocks, which takes hours on mainnet; resumes if interrupted
  begin --from-node --at HEIGHT
                             Begin it at a block (regtest only)
  begin wait                 Wait until node and ord server have all blocks, with a progress page at HOST and PORT, then begin; keep an
                             existing index
  adopt ID...                Import inscriptions from the ord server; items of collections are imported automatically
  collection list            Print the slug, number of items, verification status and name of each collection
  collection parent ID SLUG NAME
                             Create a collection of the children of an inscription
  collection gallery ID SLUG NAME
                             Create a collection of the items of a gallery
  collection rename SLUG NEW_SLUG [NAME]
                             Change slug and name; imports under the old slug still update it
  collection verify SLUG | unverify SLUG
                             Set its verification status
  thumbnails                 Count queued, finished and failed thumbnails, with rate, size and the reasons of failures
  thumbnails retry           Render failed thumbnails again
  orders                     Replay the order log and list listings that differ from it
  maintenance on [--notice TEXT], maintenance off
                             Reject trading writes, with a notice in the storefront; cancelling, declining and withdrawing still work
  rollups [rebuild]          Compare derived tables (floors, owners, rendered rows, ...) with their sources, or rebuild them
  verify [URL]               Compare every inscription with the ord server at ORD_URL, or with an ord server or second ordbook at URL,
                             and repair what differs; fail if something cannot be repaired
  receipt TXID [URL]         Verify a receipt with the node; URL of the market, default the running one`

interface Target {
  config: Config
  sql: Sql
  rpcUrl: string | null
  url: string | null
  notice?: string | undefined
  reason?: string | undefined
  'from-node'?: boolean | undefined
  'rare-sats'?: boolean | undefined
  at?: string | undefined
}

const commands: Record<string, (target: Target, args: string[]) => Promise<void>> = {
  async pool({ config, sql, rpcUrl, reason }, [verb, ...words]) {
    const market = await findIdentity(sql)
    if (!market) throw new Error('This database does not belong to a market yet. Start the server once.')
    const coinScript = hexToBytes(market.marketCoins)
    if (verb === 'fund') {
      if (config.chain !== 'regtest' || !rpcUrl)
        throw new Error('pool fund works only on regtest. Send real coins instead.')
      const sats = integerIn(words[0], 'SATS', 1000, Number.MAX_SAFE_INTEGER)
      const regtest = new Regtest(rpcUrl)
      await regtest.pay([{ valueSats: sats, script: coinScript }])
      await regtest.mine()
      return console.log(`sent ${sats} sats and mined a block; the market splits them within seconds`)
    }
    if (verb === 'explain') return explain(sql, words, reason)
    if (verb !== undefined) throw new Error(`pool ${verb}: unknown, expected pool, pool fund or pool explain`)
    await showPool({ config, sql, rpcUrl, coinScript })
  },
  async royalty({ config, sql }, [slug, address, sellerBps, buyerBps]) {
    if (!slug || !address) exitWithUsage(USAGE, 'royalty: expected SLUG and ADDRESS, or SLUG and none')
    const none = address === 'none'
    await setCollectionRoyalty({ sql, config }, slug, {
      address: none ? null : address,
      sellerBps: none ? 0 : integerIn(sellerBps, 'SELLER_BPS', 0, 10_000),
      buyerBps: none ? 0 : integerIn(buyerBps, 'BUYER_BPS', 0, 10_000),
    })
    console.log(
      `${slug}: ${none ? 'no royalty' : `${sellerBps} bps from the seller, ${buyerBps} bps from the buyer`}`,
    )
  },
  async begin({ config, sql, rpcUrl, 'from-node': isFromNode, 'rare-sats': rareSats = false, at }, [verb]) {
    if (verb !== undefined && (verb !== 'wait' || isFromNode))
      throw new Error(`begin ${verb}: unknown, expected begin, begin wait or begin --from-node`)
    if (isFromNode) {
      if (!rpcUrl) throw new Error('begin --from-node requires BITCOIN_RPC_URL.')
      await migrate(sql)
      const from = {
        chain: config.chain,
        at: at === undefined ? null : integerIn(at, '--at', 1, 2 ** 31 - 1),
        rareSats,
        url: rpcUrl,
      }
      const height = await beginAtNode(sql, new CoreSource(rpcUrl), from, transactionBar())
      const without = rareSats ? '' : ' Rare sats of earlier blocks are unknown.'
      return console.log(
        `The server will index blocks from ${height + 1}, without sat numbers.${without} Start it.`,
      )
    }
    if (!config.ordUrl || !rpcUrl)
      throw new Error(
        'begin requires ORD_URL and BITCOIN_RPC_URL. Without an ord server, use begin --from-node.',
      )
    await migrate(sql)
    const [node, ord] = [new CoreSource(rpcUrl), new Ord(config.ordUrl)]
    const { host, port } = config
    const height =
      verb === 'wait'
        ? await beginWhenReady({ sql, node, ord, host, port, say: console.log })
        : await beginAtOrd(sql, node, ord)
    if (height === null) return console.log('the index already has blocks')
    console.log(
      `The index begins at block ${height}. Import collections, and start the server with the same ORD_URL.`,
    )
  },
  async adopt(place, ids) {
    const adopter = await adopterOf(place)
    if (!adopter || ids.length === 0)
      throw new Error('adopt requires ORD_URL, BITCOIN_RPC_URL and an index seeded from ord')
    const adopted = await adopter.adopt(ids)
    if (!adopted) throw new Error('The ord server is behind the index. Wait until it catches up.')
    for (const id of ids)
      console.log(`${id}: ${adopted.has(id) ? 'adopted' : 'unknown to ord, or newer than the index'}`)
  },
  async collection(place, [verb, first, second, ...words]) {
    const { sql } = place
    const name = words.join(' ')
    if (verb === 'list') return listAll(sql)
    if (!verb || !COLLECTION_VERBS.includes(verb))
      exitWithUsage(USAGE, `collection ${verb ?? ''}: expected one of ${COLLECTION_VERBS.join(', ')}`)
    if (!first) exitWithUsage(USAGE, `collection ${verb}: expected a collection or inscription`)
    if (verb === 'parent' || verb === 'gallery') {
      if (!second || !name) exitWithUsage(USAGE, `collection ${verb}: expected ID, SLUG and NAME`)
      const kind = verb === 'parent' ? 'parent_child' : 'gallery'
      await adoptSources(place, kind, [first])
      const count = await addChainCollection(sql, {
        kind,
        sourceId: first,
        slug: second,
        name,
        now: new Date(),
      })
      return console.log(`${second}: ${count} inscriptions, unverified`)
    }
    if (verb === 'rename') {
      if (!second) exitWithUsage(USAGE, 'collection rename: expected SLUG and NEW_SLUG')
      await renameTo(sql, first, second, name || null)
      return console.log(`renamed ${first} to ${second}`)
    }
    if (!(await setVerified(sql, first, verb === 'verify'))) throw new Error(`unknown collection ${first}`)
    console.log(`${first} is ${verb === 'verify' ? 'verified' : 'unverified'}`)
  },
  async thumbnails({ config, sql }, [verb]) {
    if (verb === 'retry') return console.log(`${await retryFailed(sql, new Date())} thumbnails queued again`)
    if (verb !== undefined)
      throw new Error(`thumbnails ${verb}: unknown, expected thumbnails or thumbnails retry`)
    await showPreviews({ config, sql })
  },
  async orders({ sql }) {
    const mismatches = await listUnexplained(sql)
    for (const { listingId, state, replayed, broken } of mismatches)
      console.log(
        `${listingId}: state ${state}, but its log ends in ${replayed}${broken ? ' and has a gap' : ''}`,
      )
    console.log(
      mismatches.length === 0
        ? 'every listing matches its log'
        : `${mismatches.length} listings differ from their logs`,
    )
    process.exitCode = mismatches.length === 0 ? 0 : 1
  },
  async maintenance({ sql, notice }, [verb]) {
    await setMaintenance(sql, verb, notice)
  },
  async rollups({ config, sql }, [verb]) {
    if (verb !== undefined && verb !== 'rebuild')
      throw new Error(`rollups ${verb}: unknown, expected rollups or rollups rebuild`)
    const context = { sql, config, clock: () => new Date() }
    const bar = progressBar('collections')
    if (verb === 'rebuild') {
      await rebuildRollups(context, bar)
      return console.log('rebuilt all derived tables')
    }
    const differences = await checkRollups(context, bar)
    for (const { where, what, rows } of differences) console.log(`${where}: ${rows} rows of ${what} differ`)
    console.log(differences.length === 0 ? 'no differences' : 'rebuild them with: rollups rebuild')
    process.exitCode = differences.length === 0 ? 0 : 1
  },
  async verify({ config, sql, rpcUrl }, [url = config.ordUrl]) {
    if (!url || !URL.canParse(url) || !rpcUrl)
      throw new Error('verify [URL] requires ORD_URL or a URL, and a node (BITCOIN_RPC_URL)')
    const node = new CoreSource(rpcUrl)
    const peer = await openPeer(url, node)
    const { compared, repaired, unrepaired } = await verifyIndex({
      sql,
      peer,
      peerUrl: url,
      reveals: revealsOf(node, peer),
      chain: config.chain,
      onParents: markParents,
      say: console.log,
      onProgress: progressBar('inscriptions'),
    })
    console.log(
      `compared ${compared} inscriptions with ${new URL(url).host}: ${repaired} differences repaired, ${unrepaired} not`,
    )
    process.exitCode = unrepaired === 0 ? 0 : 1
  },
  async receipt({ rpcUrl, url }, [txid, market = url]) {
    if (!txid || !market || !rpcUrl)
      throw new Error('receipt TXID [URL] requires a market and a node (BITCOIN_RPC_URL)')
    await callRpc(rpcUrl, 'getblockcount')
    const receipt = await new Client(`${market.replace(/\/+$/, '')}/api/v1`).call('getReceipt', {
      params: { txid },
    })
    const { facts, confirmations, paths } = await verifyReceipt(receipt, coreSource(rpcUrl), txid)
    for (const [i, item] of receipt.terms.items.entries())
      console.log(
        `${item.inscriptionId}: ${item.buyerPayTotalSats} sats from the buyer, ${item.sellerReceiveSats} to the seller\n  ${paths[i]!.join('\n  ')}`,
      )
    console.log(
      `paid ${facts.costSats} sats: ${facts.marketRevenueSats} to the market, ` +
        `${facts.settlementFeeSats + facts.transferFeeSats} to the miners; ${confirmations} confirmations\n` +
        'the receipt matches the chain',
    )
  },
}

const COLLECTION_VERBS: readonly string[] = ['list', 'parent', 'gallery', 'rename', 'verify', 'unverify']

/** Records the operator's reason for transactions that the ledger does not explain. */
async function explain(sql: Sql, txids: readonly string[], reason = ''): Promise<void> {
  if (txids.length === 0) exitWithUsage(USAGE, 'pool explain: expected transaction ids, or all')
  if (!/\S/.test(reason) || reason.length > 200)
    exitWithUsage(USAGE, 'pool explain: expected --reason with at most 200 characters')
  const isAll = txids.length === 1 && txids[0] === 'all'
  const explained = await inTransaction(sql, async (tx) => {
    const found = await explainTransactions(tx, isAll ? null : txids, reason)
    const unknown = isAll ? [] : txids.filter((txid) => !found.includes(txid))
    if (unknown.length > 0)
      throw new Error(`${unknown.join(', ')}: not an unexplained transaction. Nothing was changed.`)
    return found
  })
  console.log(`${explained.length} transactions explained`)
}

async function listAll(sql: Sql): Promise<void> {
  for (const { slug, items, verificationStatus, name } of await listNames(sql))
    console.log(printable(`${slug}  ${items} items  ${verificationStatus}  ${name}`))
}

/** Reads the configuration, or prints its problems and exits. */
function readOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(error.message)
    return process.exit(1)
  }
}

const { positionals, values } = readCommand(USAGE, {
  allowPositionals: true,
  options: {
    notice: { type: 'string' },
    reason: { type: 'string' },
    'from-node': { type: 'boolean' },
    'rare-sats': { type: 'boolean' },
    at: { type: 'string' },
  },
})
const [name, ...args] = positionals
const command = name && Object.hasOwn(commands, name) ? commands[name] : undefined
if (!command) exitWithUsage(USAGE, name === undefined ? 'a command is missing' : `${name}: unknown command`)
if (values.notice !== undefined && name !== 'maintenance') exitWithUsage(USAGE, `${name} takes no --notice`)
if (values.reason !== undefined && !(name === 'pool' && args[0] === 'explain'))
  exitWithUsage(USAGE, `${positionals.slice(0, 2).join(' ')} takes no --reason`)
if ((values['from-node'] || values.at !== undefined) && name !== 'begin')
  exitWithUsage(USAGE, `${name} takes no --from-node and no --at`)
if ((values.at !== undefined || values['rare-sats']) && !values['from-node'])
  exitWithUsage(USAGE, `${name}: --at and --rare-sats need --from-node`)
const config = readOrExit()
const running = findRunning(config.dataDir)
const databaseUrl = config.databaseDirectUrl ?? config.databaseUrl ?? running?.databaseUrl
if (!databaseUrl) {
  console.error(`No server is running. Start one with \`${typed('start')}\`, or set DATABASE_URL`)
  process.exit(1)
}
const sql = connect(databaseUrl)
try {
  const rpcUrl = config.bitcoinRpcUrl ?? running?.rpcUrl ?? null
  if (name !== 'begin') await assertMigrated(sql)
  await command({ config, sql, rpcUrl, url: running?.url ?? null, ...values }, args)
} catch (error) {
  if (error instanceof DatabaseOutage) printFailure(error)
  else {
    console.error(reasonOf(error))
    process.exitCode = 1
  }
} finally {
  await sql.end()
}
