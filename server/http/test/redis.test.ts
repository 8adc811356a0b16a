import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startMarket, type TestMarket, type TestTrader, until } from '../../../e2e/support/market.ts'
import { type ServerProcess, spawnServer } from '../../../e2e/support/server.ts'

/** Requires Redis. `.ci/run` installs Redis, and fails if these tests are skipped. */
const hasRedis = (() => {
  try {
    execFileSync('redis-server', ['--version'])
    return true
  } catch {
    console.warn('redis-server is not installed: shared rate limits are NOT tested on this machine')
    return false
  }
})()

describe.skipIf(!hasRedis)('rate limits in Redis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ordbook-redis-'))
  let redis: ChildProcess
  let market: TestMarket
  let reader: TestTrader
  let second: ServerProcess
  let bases: string[]
  let redisPort: number
  const startRedis = async () => {
    redis = spawn('redis-server', ['--port', String(redisPort), '--save', '', '--dir', folder], {
      stdio: 'ignore',
    })
    await until('Redis', async () => {
      try {
        return execFileSync('redis-cli', ['-p', String(redisPort), 'ping'])
          .toString()
          .startsWith('PONG')
      } catch {
        return false
      }
    })
  }
  const stopRedis = () =>
    new Promise((done) => {
      redis.once('exit', done)
      redis.kill('SIGKILL')
    })
  const read = async (base: string) => {
    const headers = { authorization: `Bearer ${reader.client.token}` }
    const response = await fetch(`${base}/me`, { headers })
    await response.text()
    return response
  }
  const readMany = async (base: string, count: number) => {
    const statuses: number[] = []
    for (let n = 0; n < count; n++) statuses.push((await read(base)).status)
    return statuses
  }

  beforeAll(async () => {
    redisPort = await freePort()
    await startRedis()
    const limits = {
      RATE_LIMITS: 'on',
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      RATE_LIMIT_READS: '1000/12',
      LOG_LEVEL: 'silent',
    }
    market = await startMarket(limits)
    const port = await freePort()
    second = spawnServer(market, port, limits)
    await second.ready()
    bases = [market.base, `http://127.0.0.1:${port}/api/v1`]
    reader = await market.trader()
  })
  afterAll(async () => {
    await second?.kill('SIGKILL')
    await market?.stop()
    await stopRedis()
    rmSync(folder, { recursive: true, force: true })
  })

  it('two servers share a limit', async () => {
    expect(await readMany(bases[0]!, 7)).toEqual(Array(7).fill(200))
    expect(await readMany(bases[1]!, 5)).toEqual(Array(5).fill(200))
    for (const base of bases) {
      const rejected = await read(base)
      expect(rejected.status).toBe(429)
      const wait = Number(rejected.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(0)
      expect(wait).toBeLessThanOrEqual(60)
    }
    // Every counter has an expiry.
    const keys = execFileSync('redis-cli', ['-p', String(redisPort), 'keys', 'ordbook:*'])
      .toString()
      .trim()
    expect(keys).not.toBe('')
    for (const key of keys.split('\n')) {
      const left = Number(execFileSync('redis-cli', ['-p', String(redisPort), 'pttl', key]).toString())
      expect(left, key).toBeGreaterThan(0)
      expect(left, key).toBeLessThanOrEqual(60_000)
    }
  })

  it('a limit lasts at most a minute', async () => {
    // Setting the clock back an hour delays the expiry of a counter by an hour.
    const [{ profileId }] = await market.sql<[{ profileId: string }]>`
      select profile_id from wallet_bindings where wallet_binding_id = ${reader.walletBindingId}`
    const key = `ordbook:reads:perKey:${profileId}`
    execFileSync('redis-cli', ['-p', String(redisPort), 'set', key, '1000', 'px', '3660000'])
    const rejected = await read(bases[0]!)
    expect(rejected.status).toBe(429)
    expect(Number(rejected.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })

  it('limits are per server while Redis is down', async () => {
    await stopRedis()
    const alone = await readMany(bases[0]!, 14)
    expect(alone.filter((status) => status === 200)).toHaveLength(12)
    expect(alone.slice(-2)).toEqual([429, 429])
    expect((await read(bases[1]!)).status).toBe(200)
    await startRedis()
    // The restarted Redis has no counts, so requests are accepted again.
    await until('shared limits', async () => (await read(bases[0]!)).status === 200)
    const left = await readMany(bases[1]!, 12)
    expect(left.filter((status) => status === 429).length).toBeGreaterThan(0)
  })
})
