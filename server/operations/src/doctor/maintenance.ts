import { findMaintenance } from '../status/maintenance-queries.ts'
import { type Check, warning } from './finding.ts'

const ABOUT = 'maintenance'

/** Warns while maintenance is on, in case it was forgotten. */
export const maintenanceCheck: Check = {
  about: ABOUT,
  mend: 'Migrate the database to the schema of this release.',
  byDatabase: true,
  async examine({ sql, identity }) {
    const current = identity && (await findMaintenance(sql))
    if (!current) return []
    return [
      warning(
        ABOUT,
        `maintenance is on since ${current.since.toISOString()}: trading writes are rejected`,
        'End it with ordbook market maintenance off.',
      ),
    ]
  },
}
