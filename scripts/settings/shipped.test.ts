import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { variables as serverVariables } from '@ordbook/db/settings/config.ts'
import { readSettingsFile } from '@ordbook/process/settings-file.ts'
import { variables as keyVariables } from '@ordbook/signer-host/config.ts'
import { afterAll, describe, expect, it } from 'vitest'

const deploy = join(import.meta.dirname, '../../deploy')
const folder = mkdtempSync(join(tmpdir(), 'ordbook-shipped-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.each([
  ['settings/server.env', serverVariables],
  ['settings/signer.env', keyVariables],
  ['settings/guardian.env', keyVariables],
  ['market.env', serverVariables],
])('deploy/%s', (file, table) => {
  const problemsOf = (path: string) => {
    const problems: string[] = []
    readSettingsFile(path, Object.keys(table), problems)
    return problems
  }

  it('is a settings file', () => {
    expect(problemsOf(join(deploy, file))).toEqual([])
  })

  it('has only settings as examples', () => {
    const examples = readFileSync(join(deploy, file), 'utf8').match(/^#\w+=.*$/gm)!
    for (const example of examples) {
      writeFileSync(join(folder, 'example.env'), `${example.slice(1)}\n`)
      expect(problemsOf(join(folder, 'example.env'))).toEqual([])
    }
  })
})

it.each(['server', 'signer', 'guardian'])('the unit of the %s checks its file', (name) => {
  const unit = name === 'server' ? 'ordbook' : `ordbook-${name}`
  const text = readFileSync(join(deploy, 'systemd', `${unit}.service`), 'utf8')
  expect(text).toContain(
    `EnvironmentFile=/etc/ordbook/${name}.env\nEnvironment=SETTINGS_FILE=/etc/ordbook/${name}.env`,
  )
})
