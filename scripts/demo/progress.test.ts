import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Node } from '@ordbook/devnet/node.ts'
import { Regtest } from '@ordbook/devnet/regtest.ts'
import { serveRpc } from '@ordbook/devnet/rpc/serve.ts'
import { Store } from '@ordbook/devnet/store.ts'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Progress } from './progress.ts'
import { seedChain } from './seed.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-progress-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

it('Progress repeats only failed steps', async () => {
  const calls: number[] = []
  const work = async () => {
    calls.push(calls.length)
    if (calls.length === 1) throw new Error('interrupted')
    return calls.length
  }
  await expect(new Progress(folder).once('step', work)).rejects.toThrow('interrupted')
  expect(await new Progress(folder).once('step', work)).toBe(2)
  expect(await new Progress(folder).once('step', work)).toBe(2)
  expect(JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'))).toEqual({ step: 2 })
})

it('seedChain resumes after a crash', async () => {
  const node = new Node(new Store(join(folder, 'chain')))
  const server = serveRpc(node, 'demo:demo')
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  const url = `http://demo:demo@127.0.0.1:${port}/`
  // Every seventh block reaches the chain, but its caller gets no response.
  let mined = 0
  for (const method of ['mine', 'mineExactly'] as const) {
    const before = node[method].bind(node) as (...args: unknown[]) => unknown
    Object.assign(node, {
      [method]: (...args: unknown[]) => {
        const result = before(...args)
        if (++mined % 7 === 0) server.closeAllConnections()
        return result
      },
    })
  }
  let failures = 0
  for (;;)
    try {
      await seedChain(url, folder, 'regtest', () => {})
      break
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError)
      failures++
    }
  expect(failures).toBeGreaterThan(5)
  const sales = [...node.chain.transactions.values()].filter(({ tx }) =>
    // The third input of a sale signs SINGLE|ANYONECANPAY.
    tx.inputs.some(({ witness }) => witness.length === 1 && witness[0]!.length === 65),
  )
  expect(sales).toHaveLength(72)
  const heights = new Set(sales.map(({ height }) => height))
  expect(heights.size).toBe(24)
  const reveals = [...node.chain.transactions.values()].filter(({ tx }) => tx.inputs[0]!.witness.length === 3)
  expect(reveals).toHaveLength(84)
  // The blocks of the past month keep their times.
  const days = (height: number) => (Date.now() / 1000 - node.chain.at(height)!.header.time) / 86_400
  expect(days(Math.min(...heights))).toBeGreaterThan(28)
  expect(await new Regtest(url).call('getblockcount')).toBe(node.chain.height)
  server.close()
  server.closeAllConnections()
})
