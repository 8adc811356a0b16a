import { createServer, type Server } from 'node:http'
import { setTimeout as rest } from 'node:timers/promises'
import type { Sql } from '@ordbook/db/driver/connect.ts'
import { beginAtOrd } from '@ordbook/indexer/adoption/begin.ts'
import { findTip } from '@ordbook/indexer/inscriptions/queries.ts'
import type { CoreSource } from '@ordbook/indexer/node/core.ts'
import { nodeState } from '@ordbook/indexer/node/core-answers.ts'
import type { Ord } from '@ordbook/indexer/ord/ord.ts'

const PAUSE_MILLISECONDS = 5000

interface Sources {
  sql: Sql
  node: CoreSource
  ord: Ord
  /** Host of a page that shows the progress. */
  host: string
  port: number
  say(text: string): void
}

/**
 * Begins an empty index at the tip of an ord server, once node and ord server are synced. Returns the block, or null if the index already
 * has blocks.
 */
export async function beginWhenReady({ sql, node, ord, host, port, say }: Sources): Promise<number | null> {
  if (await findTip(sql)) return null
  let state = 'The market is starting.'
  const page = createServer((_, response) => {
    response.writeHead(503, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'",
      'retry-after': '30',
    })
    response.end(pageOf(state))
  })
  await listen(page, host, port)
  try {
    for (;;) {
      const now = await stateOf(node, ord)
      if (now === null) break
      if (now !== state) say(now)
      state = now
      await rest(PAUSE_MILLISECONDS)
    }
    return await beginAtOrd(sql, node, ord)
  } finally {
    page.closeAllConnections()
    await new Promise((done) => page.close(done))
  }
}

/** Returns why the index cannot begin yet, or null. */
async function stateOf(node: CoreSource, ord: Ord): Promise<string | null> {
  const info = await node.call(nodeState, 'getblockchaininfo').catch(() => null)
  if (info === null) return 'The Bitcoin node does not respond yet.'
  if (info.initialblockdownload) return `The Bitcoin node has ${info.blocks} of ${info.headers} blocks.`
  const height = await ord.height().catch(() => null)
  if (height === null) return 'The ord server does not respond yet.'
  return height < info.blocks ? `The ord server has ${height} of ${info.blocks} blocks.` : null
}

/** The states contain no external text, so they need no escaping. */
const pageOf = (state: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="30"><title>ordbook</title>` +
  `<h1>This market is being set up</h1><p>${state}<p>It opens once both have all blocks. On mainnet that takes days.</html>\n`

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
}
