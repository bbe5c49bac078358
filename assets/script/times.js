/** Times in the time zone of the browser, for showing and for editing. The pages themselves have them in UTC. */

import { pageLocale, phrase } from './phrases.js'

/** Shows a time in the local time zone, with its name; the tooltip keeps the exact value. */
export function showLocally(time) {
  const moment = new Date(time.dateTime)
  if (Number.isNaN(moment.getTime())) return
  time.title = time.dateTime
  const locale = pageLocale()
  // Days are written as the service writes them.
  const day = /^en\b/.test(locale) ? { month: 'short', day: 'numeric' } : { month: '2-digit', day: '2-digit' }
  const options = {
    ...day,
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  }
  time.textContent = new Intl.DateTimeFormat(locale, options).format(moment)
}

/** Puts a control in local time in place of one in UTC, which keeps the value that the form sends. */
export function editLocally(input) {
  const local = input.cloneNode()
  local.removeAttribute('name')
  input.removeAttribute('id')
  input.required = false
  input.hidden = true
  input.after(local)
  local.value = localTime(input.value)
  const shown = { local: local.value, utc: input.value }
  local.addEventListener('input', () => {
    // In the hour that clocks repeat in autumn, a local time has two meanings: an unchanged one keeps its own.
    input.value = local.value === shown.local ? shown.utc : utcTime(local.value)
  })
  nameZone(input.closest('.field'))
}

/** The help of the control names the time zone. */
function nameZone(field) {
  const help = field.querySelector('.help')
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  if (!help) return
  help.textContent = help.textContent.replace(
    phrase('Date and time in UTC.'),
    phrase('Date and time in the time zone {1}.', zone),
  )
}

/** A filter by days, which begin at midnight in the local time zone. An unchanged one keeps its exact time. */
export function filterLocally(input) {
  const { instant } = input.dataset
  const shown = instant === '' ? '' : localTime(instant.replace(/Z$/, '')).slice(0, 10)
  input.value = shown
  for (const zone of input.labels[0].querySelectorAll('small')) zone.textContent = zoneNow()
  input.form.addEventListener('formdata', ({ formData }) => {
    const { name, value } = input
    if (value === '') return
    const midnight = () => new Date(`${value}T00:00`).toISOString().replace('.000Z', 'Z')
    formData.set(name, value === shown ? instant : midnight())
  })
}

function zoneNow() {
  const parts = new Intl.DateTimeFormat(pageLocale(), { timeZoneName: 'short' }).formatToParts(new Date())
  return parts.find(({ type }) => type === 'timeZoneName').value
}

/** `2026-11-18T23:30` in UTC as local time; empty where it is no time. */
function localTime(utc) {
  const moment = new Date(`${utc}Z`)
  return shortTime(new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000))
}

function utcTime(local) {
  return shortTime(new Date(local))
}

/** Without seconds if they are 0, as controls write it. */
function shortTime(moment) {
  if (Number.isNaN(moment.getTime())) return ''
  return moment.toISOString().replace(/(:00)?(\.000)?Z$/, '')
}
