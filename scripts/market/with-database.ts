import { type EmbeddedPostgres, startEmbedded } from '@ordbook/db/embedded/embedded.ts'
import { readConfig } from '@ordbook/db/settings/config.ts'
import { printFailure } from './print-failure.ts'

/**
 * Runs `work` on DATABASE_URL, or on the embedded database of DATA_DIR, which it starts if necessary. Prints errors, and exits with
 * code 1.
 */
export async function withDatabase(work: (databaseUrl: string) => Promise<void>): Promise<void> {
  let postgres: EmbeddedPostgres | null = null
  try {
    const config = readConfig(process.env)
    const databaseUrl = config.databaseDirectUrl ?? config.databaseUrl
    if (!databaseUrl) postgres = await startEmbedded(config.dataDir)
    await work(databaseUrl ?? postgres!.url)
  } catch (error) {
    printFailure(error)
  } finally {
    if (postgres && !postgres.found) await postgres.stop()
  }
}
