import { connect } from '@ordbook/server/db/connect.ts'
import { expect, inject, it } from 'vitest'

it('runs the server under a role that owns its database and nothing else', async () => {
  const url = inject('postgresUrl')
  const sql = connect(url, { max: 1 })
  try {
    const [role] = await sql`
      select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
        (select array_agg(datname::text) from pg_database where datdba = pg_roles.oid and datname not like 'test\\_%') as owned,
        (select count(*) from pg_auth_members where member = pg_roles.oid) as memberships
      from pg_roles where rolname = current_user`
    expect(role).toEqual({
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
      owned: ['ordbook'],
      memberships: 0,
    })
    await expect(sql.unsafe(`copy (select 1) to program 'true'`)).rejects.toMatchObject({ code: '42501' })
  } finally {
    await sql.end()
  }
  const other = connect(Object.assign(new URL(url), { pathname: '/postgres' }).href, { max: 1 })
  await expect(other`select 1`).rejects.toMatchObject({ cause: { code: '42501' } })
  await other.end()
})
