import { cpSync, existsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@ordbook/db/process/free-port.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { firstTrade } from '../../scripts/distribution/first-trade.ts'
import { freshDatabase, until } from '../support/market.ts'
import { startNode, type TestNode } from '../support/node.ts'
import { Machine } from './machine.ts'

const UNITS = ['ordbook-signer', 'ordbook-guardian', 'ordbook'] as const
let machine: Machine
let node: TestNode
let url: string

beforeAll(async () => {
  machine = await Machine.start(process.env.ORDBOOK_TEST_ROOT!)
  node = await startNode()
  cpSync(process.env.ORDBOOK_TEST_DEB!, join(machine.root, 'ordbook.deb'))
})
afterAll(async () => {
  machine?.stop()
  await node?.stop()
})

const trade = () =>
  firstTrade({
    url,
    rpcUrl: node.url,
    async importFolder(folder) {
      cpSync(folder, join(machine.root, 'srv/import'), { recursive: true })
      const asServer = 'runuser -u ordbook -- env SETTINGS_FILE=/etc/ordbook/server.env'
      await machine.run(`chmod -R a+rX /srv/import; ${asServer} ordbook market import /srv/import`)
    },
  })
const property = (unit: string, name: string) => machine.run(`systemctl show -P ${name} ${unit}`)
const pidOf = (unit: string) => property(unit, 'MainPID')

it('installs users, private settings, separate secrets, a man page and a completion', async () => {
  await machine.run('dpkg -i /ordbook.deb')
  expect(await machine.run("stat -c '%a %U:%G %n' /etc/ordbook/*")).toBe(
    [
      '640 root:ordbook-guardian /etc/ordbook/guardian.env',
      '640 root:ordbook-guardian /etc/ordbook/guardian.secret',
      '640 root:ordbook /etc/ordbook/server.env',
      '640 root:ordbook-signer /etc/ordbook/signer.env',
      '640 root:ordbook-signer /etc/ordbook/signer.secret',
    ].join('\n'),
  )
  await machine.run('systemd-analyze verify /usr/lib/systemd/system/ordbook*.service')
  const completed = await machine.run(
    'gzip -t /usr/share/man/man1/ordbook.1.gz; . /usr/share/bash-completion/completions/ordbook; complete -p ordbook',
  )
  expect(completed).toBe('complete -o default -F _ordbook ordbook')
})

it.each([
  ['ordbook', 15],
  ['ordbook-guardian', 15],
  ['ordbook-signer', 5],
])('limits the access of %s', async (unit, threshold) => {
  const path = `/usr/lib/systemd/system/${unit}.service`
  await machine.run(`systemd-analyze security --offline=yes --threshold=${threshold} ${path}`)
})

it('trades with the keys in isolated processes', async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  const rpc = `BITCOIN_RPC_URL=${node.url}\n`
  const settings = `DATABASE_URL=${await freshDatabase()}\nCHAIN=regtest\nPORT=${port}\nRATE_LIMITS=off\n`
  const append = (name: string, text: string) =>
    writeFileSync(join(machine.root, 'etc/ordbook', name), text, { flag: 'a' })
  append('server.env', rpc + settings)
  append('guardian.env', rpc)
  await machine.run(`systemctl enable --now ${UNITS.join(' ')}`)
  await trade()
  expect(await machine.run('ls /var/lib/ordbook-signer /var/lib/ordbook-guardian /var/lib/ordbook')).toBe(
    '/var/lib/ordbook:\n\n/var/lib/ordbook-guardian:\nguardian.journal\nguardian.key\n\n/var/lib/ordbook-signer:\ncoins.key\ncosign.key\nsigner.journal',
  )
  for (const folder of ['/var/lib/ordbook-signer', '/var/lib/ordbook-guardian', '/run/ordbook-signer'])
    await expect(machine.run(`runuser -u nobody -- ls ${folder}`)).rejects.toThrow('Permission denied')
  await expect(machine.run('runuser -u ordbook -- cat /var/lib/ordbook-signer/coins.key')).rejects.toThrow(
    'Permission denied',
  )
})

it("reaches the keys from a command of the server's user", async () => {
  const doctor = 'runuser -u ordbook -- env SETTINGS_FILE=/etc/ordbook/server.env ordbook market doctor'
  const findings = await machine.run(`${doctor} || true`)
  for (const keys of ['signer', 'guardian'])
    expect(findings).toMatch(new RegExp(`^ok +${keys}: reachable`, 'm'))
})

it('refuses a typo in the settings and names the setting', async () => {
  const check = (name: string) =>
    machine.run(`runuser -u ordbook -- env SETTINGS_FILE=/etc/ordbook/${name} ordbook market config 2>&1`)
  expect(await check('server.env')).toMatch(
    /^DATA_DIR +\/var\/lib\/ordbook +\(\/etc\/ordbook\/server\.env\)$/m,
  )
  await machine.run(
    'sed s/^PORT=/PROT=/ /etc/ordbook/server.env >/etc/ordbook/typo.env; chmod a+r /etc/ordbook/typo.env',
  )
  await expect(check('typo.env')).rejects.toThrow('PROT is not a setting. The nearest setting is PORT.')
  await machine.run('rm /etc/ordbook/typo.env')
})

it('fails to start visibly with a wrong setting, and starts once it is correct', async () => {
  const correct = await machine.run('cat /etc/ordbook/server.env')
  await machine.run('echo PROT=1 >>/etc/ordbook/server.env')
  await expect(machine.run('systemctl restart ordbook')).rejects.toThrow('Job for ordbook.service failed')
  expect(await machine.run('journalctl -u ordbook --no-pager')).toContain('PROT is not a setting')
  writeFileSync(join(machine.root, 'etc/ordbook/server.env'), `${correct}\n`)
  await machine.run('systemctl restart ordbook')
  const { status } = await fetch(`${url}/status`)
  expect(status).toBe(200)
})

it('runs all processes without capabilities', async () => {
  for (const unit of UNITS) {
    const status = await machine.run(`cat /proc/${await pidOf(unit)}/status`)
    expect(status).toMatch(/^CapEff:\t0+$/m)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    expect(status).toMatch(/^Seccomp:\t2$/m)
  }
  const interfaces = `nsenter --target ${await pidOf('ordbook-signer')} --net cat /proc/net/dev`
  expect((await machine.run(interfaces)).split('\n').slice(2)).toEqual([expect.stringMatching(/^\s*lo:/)])
})

it.each(UNITS)('restarts %s after kill -9', async (unit) => {
  const before = await pidOf(unit)
  await machine.run(`kill -9 ${before}`)
  await until(`another ${unit}`, async () => {
    const now = await pidOf(unit)
    return now !== '0' && now !== before && (await property(unit, 'ActiveState')) === 'active'
  })
  await until('trading', async () => {
    const status = await fetch(`${url}/status`).then(
      (answer) => answer.json() as Promise<{ trading: string }>,
      () => null,
    )
    return status?.trading === 'open'
  })
})

it('trades after the restarts', () => trade())

it('keeps the keys after a purge', async () => {
  await machine.run('systemctl stop ordbook ordbook-guardian ordbook-signer')
  for (const unit of UNITS) expect(await property(unit, 'Result')).toBe('success')
  await machine.run('dpkg --purge ordbook')
  expect(await machine.run('ls /var/lib/ordbook-signer')).toContain('coins.key')
  for (const path of ['usr/bin/ordbook', 'usr/lib/ordbook', 'etc/ordbook'])
    expect(existsSync(join(machine.root, path))).toBe(false)
})

it('builds a package smaller than 60 MB', () => {
  expect(statSync(process.env.ORDBOOK_TEST_DEB!).size).toBeLessThan(60_000_000)
})
