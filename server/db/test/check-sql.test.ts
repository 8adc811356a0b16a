import { connect } from '@ordbook/db/driver/connect.ts'
import { migrate } from '@ordbook/db/schema/migrate.ts'
import { expect, it } from 'vitest'
import { freshDatabase } from '../../../e2e/support/market.ts'
import { checkSql } from '../../../scripts/check-sql/check.ts'

it('checkSql reports statements that do not match the schema', async () => {
  const url = await freshDatabase()
  const sql = connect(url, { max: 1 })
  await migrate(sql)
  await sql.end()
  const { problems } = await checkSql(url, (path) => path === 'server/db/test/support/wrong-statements.ts')
  expect(problems.map((problem) => problem.replace(/^\S+\.ts:\d+: /, ''))).toEqual([
    'column "price" does not exist in: select listing_id, price from listings',
    'the row type has priceSats, but the statement has no such column',
    'the row type has no property for the column seller_script',
    'priceSats is text in SQL, number in TypeScript',
    'operator does not exist: bigint = boolean in: select listing_id, price_sats from listings where price_sats = $1',
    'priceSats can be null in SQL, but not in TypeScript',
    'priceSats can be null in SQL, but not in TypeScript',
    'the row type is missing',
    'column "price" does not exist in: select listing_id, price_sats from listings order by price',
    'could not determine data type of parameter $1 in: select listing_id, price_sats from listings where $1 is null',
    'this statement cannot be checked: cannot follow the name column',
  ])
})
