/** Feeds, event streams, histories, the audit and webhooks, on PostgreSQL. */

process.env.TEST_DATABASE = 'postgres'

await import('../changes/feed.test.ts')
await import('../changes/events.test.ts')
await import('../changes/history.test.ts')
await import('../changes/page-cost.test.ts')
await import('../changes/audit.test.ts')
await import('../webhooks/webhooks.test.ts')

export {}
