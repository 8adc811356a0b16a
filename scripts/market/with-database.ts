import { type EmbeddedPostgres, startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { ConfigError, readConfig } from '@ordbook/db/settings/config.ts'

/**
 * Runs `work` on DATABASE_URL, or on the embedded database of DATA_DIR, which it starts if necessary. If `work` throws a ConfigError,
 * prints it and exits with code 1.
 */
export async function withDatabase(work: (databaseUrl: string) => Promise<void>): Promise<void> {
  let postgres: EmbeddedPostgres | null = null
  try {
    const config = readConfig(process.env)
    const databaseUrl = config.databaseDirectUrl ?? config.databaseUrl
    if (!databaseUrl) postgres = await startEmbedded(config.dataDir)
    await work(databaseUrl ?? postgres!.url)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    console.error(error.message)
    process.exitCode = 1
  } finally {
    if (postgres && !postgres.found) await postgres.stop()
  }
}
