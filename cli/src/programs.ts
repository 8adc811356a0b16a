import { extname, join } from 'node:path'

/** Programs of a market: name of the module in a bundle (scripts/bundle.ts), and path in a checkout. */
export const PROGRAMS = {
  start: 'scripts/start.ts',
  demo: 'scripts/market/demo.ts',
  operate: 'scripts/market/operate.ts',
  import: 'scripts/market/import-collections.ts',
  registry: 'scripts/market/registry.ts',
  doctor: 'scripts/market/doctor.ts',
  config: 'scripts/market/config.ts',
  backup: 'scripts/market/backup.ts',
  restore: 'scripts/market/restore.ts',
  upgrade: 'scripts/market/upgrade.ts',
  keys: 'scripts/market/keys.ts',
  'order-log': 'scripts/market/order-log.ts',
  server: 'server/app/src/main.ts',
  signer: 'signer-host/src/main.ts',
  guardian: 'signer-host/src/guardian/main.ts',
  previews: 'previews/src/main.ts',
  devnet: 'devnet/src/main.ts',
}
export type Program = keyof typeof PROGRAMS

/** Whether this is a bundle, with all modules in one folder, or a checkout. */
export const isBundle = extname(import.meta.filename) === '.js'

export const fileOf = (program: Program): string =>
  isBundle
    ? join(import.meta.dirname, `${program}.js`)
    : join(import.meta.dirname, '../..', PROGRAMS[program])

/** Returns an operator command as the user types it: with `npx` unless `ordbook` is installed. */
export const typed = (command: string): string =>
  `${isBundle && process.env.npm_command !== 'exec' ? '' : 'npx '}ordbook market ${command}`
