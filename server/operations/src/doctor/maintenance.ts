import { findMaintenance } from '../status/maintenance-queries.ts'
import { type Check, fault } from './finding.ts'

/** Reports maintenance, in case it was forgotten. */
export const maintenanceCheck: Check = {
  failure: 'schema-old',
  mend: 'Migrate the database to the schema of this release.',
  byDatabase: true,
  async examine({ sql, identity }) {
    const current = identity && (await findMaintenance(sql))
    if (!current) return []
    return [
      fault(
        'maintenance',
        `maintenance is on since ${current.since.toISOString()}: trading writes are rejected`,
        'End it with ordbook market maintenance off.',
      ),
    ]
  },
}
