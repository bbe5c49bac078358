/** The names of what runs code of the definition, in the tables of cursors and of queued work. */

export const afterConsumerName = 'after'
export const scheduleConsumerName = 'schedules'
export const jobConsumerName = 'jobs'
