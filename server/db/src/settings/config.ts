import { resolve } from 'node:path'
import { type Environment, mergeSettings } from '@ordbook/process/settings-file.ts'
import { ConfigError, type ConfigOf, readVariables } from '@ordbook/process/variables.ts'
import { keyVariables } from '@ordbook/signer-host/config.ts'
import { dbConstants, dbVariables, readDbConfig } from './db.ts'
import { httpConstants, httpVariables, readHttpConfig } from './http.ts'
import { indexerConstants, indexerVariables, readIndexerConfig } from './indexer.ts'
import { marketConstants, marketVariables, readMarketConfig } from './market.ts'
import { operationsVariables, readOperationsConfig } from './operations.ts'
import { readSiteConfig, siteVariables } from './site.ts'

export { ConfigError }

export const variables = {
  ...operationsVariables,
  ...httpVariables,
  ...siteVariables,
  ...dbVariables,
  ...indexerVariables,
  ...keyVariables,
  ...marketVariables,
}

export const constants = { ...dbConstants, ...httpConstants, ...indexerConstants, ...marketConstants }

/** Configuration in camel case: `LISTING_MIN_SATS` is `listingMinSats`. */
export type Config = ConfigOf<typeof keyVariables> &
  ReturnType<typeof readOperationsConfig> &
  ReturnType<typeof readHttpConfig> &
  ReturnType<typeof readSiteConfig> &
  ReturnType<typeof readDbConfig> &
  ReturnType<typeof readIndexerConfig> &
  ReturnType<typeof readMarketConfig> &
  typeof constants

/** Values that tests override. */
export type Tuning = Partial<Omit<Config, keyof ConfigOf<typeof variables>>>

/** Reads the configuration from environment variables and their SETTINGS_FILE. Throws a ConfigError that lists all problems. */
export function readConfig(from: Environment, tuning: Tuning = {}): Config {
  const problems: string[] = []
  const environment = mergeSettings(Object.keys(variables), from, problems)
  const keys = readVariables(keyVariables, environment, problems)
  const indexer = readIndexerConfig(environment, problems, { ...constants, ...tuning })
  const config = {
    ...keys,
    ...readOperationsConfig(environment, problems),
    ...readHttpConfig(environment, problems),
    ...readSiteConfig(environment, problems, indexer),
    ...readDbConfig(environment, problems),
    ...indexer,
    ...readMarketConfig(environment, problems, { ...keys, ...indexer }),
    ...constants,
    ...tuning,
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'))
  return { ...config, dataDir: resolve(keys.dataDir) }
}
