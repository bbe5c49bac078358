/** Logic, jobs and event pages on PostgreSQL, with two nodes. */

process.env.TEST_DATABASE = 'postgres'

await import('../logic/before.test.ts')
await import('../logic/job-creators.test.ts')
await import('../changes/feed.test.ts')

export {}
