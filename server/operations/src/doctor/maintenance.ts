import { findMaintenance } from '../status/maintenance-queries.ts'
import { type Check, fault, OLD_SCHEMA } from './finding.ts'

/** Reports maintenance, in case it was forgotten. */
export const maintenanceCheck: Check = {
  ...OLD_SCHEMA,
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
