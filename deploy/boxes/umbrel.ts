import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { variables as ofServer } from '@ordbook/db/settings/config.ts'
import type { Variable } from '@ordbook/process/variables.ts'
import { keyVariables } from '@ordbook/signer-host/config.ts'
import { type Static, type TSchema, Type } from 'typebox'
import { parse } from 'yaml'
import { runsOf } from '../../cli/src/operator.ts'
import { PROGRAMS } from '../../cli/src/programs.ts'
import { parseAs } from '../../scripts/parse.ts'

const STRINGS = Type.Array(Type.String())
const ENVIRONMENT = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))
const SERVICE = Type.Object({
  image: Type.String(),
  user: Type.Optional(Type.String()),
  entrypoint: Type.Optional(STRINGS),
  command: Type.Optional(Type.Union([Type.String(), STRINGS])),
  network_mode: Type.Optional(Type.String()),
  privileged: Type.Optional(Type.Boolean()),
  ports: Type.Optional(STRINGS),
  cap_add: Type.Optional(STRINGS),
  cap_drop: Type.Optional(STRINGS),
  read_only: Type.Optional(Type.Boolean()),
  env_file: Type.Optional(STRINGS),
  environment: Type.Optional(ENVIRONMENT),
  volumes: Type.Optional(STRINGS),
})
const PROXY = Type.Object({ environment: ENVIRONMENT })
const COMPOSE = Type.Object({ services: Type.Object({ app_proxy: PROXY }) })
const TEXT = Type.String({ pattern: '\\S' })
const MANIFEST = Type.Object({
  manifestVersion: Type.Number(),
  id: Type.Literal('ordbook'),
  category: Type.Literal('bitcoin'),
  name: TEXT,
  version: TEXT,
  tagline: TEXT,
  description: TEXT,
  developer: TEXT,
  website: TEXT,
  dependencies: STRINGS,
  repo: TEXT,
  support: TEXT,
  port: Type.Integer({ minimum: 1024, maximum: 65_535 }),
  gallery: STRINGS,
  path: Type.String(),
  submitter: TEXT,
  submission: TEXT,
  backupIgnore: STRINGS,
})
type Service = Static<typeof SERVICE>

/** Services with third-party images. */
const FOREIGN = ['postgres', 'ord']
/** Ports of the Ordinals app, the proxy's sign-in and the dashboard. */
const TAKEN_PORTS = [80, 443, 2000, 4000]
const DATA = `\${APP_DATA_DIR}/data/`
/** Key folders. Only their own process may mount them. */
const KEYS = { signer: 'signer', guardian: 'guardian' } as const
const USER = '1000:1000'

const texts = (value: string | string[] | undefined) => [value ?? []].flat()
const read = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8')

/** Returns the problems of the Umbrel app in a folder; empty if it matches the settings and programs of this version. */
export function umbrelProblems(folder: string, version: string): string[] {
  const problems: string[] = []
  const readAs = <const S extends TSchema>(name: string, schema: S, value: unknown) => {
    try {
      return parseAs(schema, value)
    } catch (error) {
      problems.push(`${name}: ${(error as Error).message}`)
      return null
    }
  }
  const manifest = readAs('umbrel-app.yml', MANIFEST, parse(read(folder, 'umbrel-app.yml')))
  const compose = readAs('docker-compose.yml', COMPOSE, parse(read(folder, 'docker-compose.yml')))
  if (!manifest || !compose) return problems
  const { app_proxy: proxy, ...others } = compose.services
  const services: Record<string, Service> = {}
  for (const [name, found] of Object.entries(others)) {
    const service = readAs(name, SERVICE, found)
    if (service) services[name] = service
  }
  if (manifest.version !== version)
    problems.push(`umbrel-app.yml: version ${manifest.version}, expected ${version}`)
  if (TAKEN_PORTS.includes(manifest.port)) problems.push(`port ${manifest.port}: is used by another app`)
  if (!manifest.dependencies.includes('bitcoin')) problems.push('dependencies: expected bitcoin')
  if (String(proxy.environment.APP_PORT) !== String(ofServer.PORT.fallback))
    problems.push(`app_proxy: APP_PORT ${proxy.environment.APP_PORT}, expected ${ofServer.PORT.fallback}`)
  const conf = settingsIn(read(folder, 'data/settings/market.conf'), true)
  problems.push(...strangers('data/settings/market.conf', conf, ofServer))
  problems.push(
    ...strangers('market.conf.template', settingsIn(read(folder, 'market.conf.template')), ofServer),
  )
  const hook = read(folder, 'hooks/pre-start')
  for (const [name, service] of Object.entries(services)) {
    const found = [...ofAny(name, service), ...ofVolumes(name, service, folder, hook)]
    if (!FOREIGN.includes(name)) found.push(...ofOwn(name, service))
    problems.push(...found.map((problem) => `${name}: ${problem}`))
  }
  for (const name of ['server', 'signer', 'guardian'])
    if (!services[name]) problems.push(`${name}: is missing`)
  if (services.signer && services.signer.network_mode !== 'none') problems.push('signer: has a network')
  return problems
}

/** Checks every service. */
function ofAny(name: string, service: Service): string[] {
  const problems: string[] = []
  if (!/^[^@]+:[^@]+@sha256:[0-9a-f]{64}$/.test(service.image))
    problems.push(`image ${service.image}, expected NAME:VERSION@sha256:DIGEST`)
  if (service.ports) problems.push('publishes a port that bypasses the proxy')
  if (service.privileged || service.cap_add)
    problems.push('has capabilities that no program of a market needs')
  const password = service.environment?.POSTGRES_PASSWORD
  if (password !== undefined && password !== `\${APP_ORDBOOK_POSTGRES_PASSWORD}`)
    problems.push('POSTGRES_PASSWORD: is the same on every box')
  for (const value of Object.values(service.environment ?? {}))
    for (const [, host] of String(value).matchAll(/\/\/(?:[^@/\s]+@)?([\w-]+)/g))
      if (!host!.startsWith('ordbook_')) problems.push(`${host}: is not specific to this app`)
  if (name !== 'ord' && service.user !== USER) problems.push(`user ${service.user}, expected ${USER}`)
  return problems
}

/** Checks that mounted folders exist and are writable, and that only a key process mounts its keys. */
function ofVolumes(name: string, service: Service, folder: string, hook: string): string[] {
  const problems: string[] = []
  const ownedFolders = /^for name in ([\w -]+);/m.exec(hook)?.[1]?.split(' ') ?? []
  for (const volume of service.volumes ?? []) {
    const [source] = volume.split(/:(?=\/)/) as [string]
    if (!source.startsWith(DATA)) {
      problems.push(`${source}: is outside the app's data`)
      continue
    }
    const subfolder = source.slice(DATA.length)
    if (!existsSync(join(folder, 'data', subfolder))) problems.push(`data/${subfolder}: does not exist`)
    if (name !== 'ord' && !ownedFolders.includes(subfolder))
      problems.push(`data/${subfolder}: hooks/pre-start does not set its owner to ${USER}`)
    for (const [owner, keys] of Object.entries(KEYS))
      if (subfolder === keys && name !== owner)
        problems.push(`data/${subfolder}: contains the keys of ${owner}`)
  }
  return problems
}

/** Checks a service that runs our image. */
function ofOwn(name: string, service: Service): string[] {
  const problems: string[] = []
  if (!service.read_only || service.cap_drop?.[0] !== 'ALL')
    problems.push('has a writable root or capabilities')
  const command = texts(service.command).join(' ')
  const isShell = service.entrypoint?.[0] === 'sh'
  const started = [...command.matchAll(/lib\/([\w-]+)\.js/g)].map(([, program]) => program!)
  if (started.length === 0) problems.push('starts no program of the bundle')
  for (const program of started)
    if (program !== 'ordbook' && !Object.hasOwn(PROGRAMS, program))
      problems.push(`lib/${program}.js: is not in the bundle`)
  for (const [, verb, ...rest] of command.matchAll(/market (\w[\w-]*)/g))
    try {
      runsOf([verb!, ...rest])
    } catch {
      problems.push(`market ${verb}: not a command`)
    }
  if (!isShell && service.entrypoint)
    problems.push(`entrypoint ${service.entrypoint.join(' ')}: is not in the image`)
  const table: Record<string, Variable<unknown>> = Object.hasOwn(KEYS, name) ? keyVariables : ofServer
  problems.push(...strangers('environment', service.environment ?? {}, table))
  for (const file of service.env_file ?? [])
    if (!file.startsWith(`\${APP_DATA_DIR}/`))
      problems.push(`${file}: is relative to another folder on a box`)
  return problems
}

/** Reports unknown settings and invalid values. Values with a variable of the box count as valid. */
function strangers(
  place: string,
  found: Readonly<Record<string, string | number>>,
  table: Readonly<Record<string, Variable<unknown>>>,
): string[] {
  const problems: string[] = []
  for (const [name, value] of Object.entries(found)) {
    const variable = table[name]
    if (!variable) problems.push(`${place}: ${name} is not a setting`)
    else if (!String(value).includes('$') && variable.read(String(value)) === undefined)
      problems.push(`${place}: ${name} is ${value}, expected ${variable.expected}`)
  }
  return problems
}

/** Parses NAME=VALUE lines; with `commented`, also commented examples. */
function settingsIn(text: string, commented = false): Record<string, string> {
  const line = commented ? /^#?([A-Z_]+)=(.*)$/gm : /^([A-Z_]+)=(.*)$/gm
  return Object.fromEntries([...text.matchAll(line)].map(([, name, value]) => [name!, value!]))
}
