/** What the service leaves open of its records. */
export const recordTexts = {
  lists: "Lists are in the order of ids, and each holds all there is; the history holds all that ever ended.",
  records:
    "Records have the fields that services of this kind send, money in cents, moments in UTC with milliseconds; the summary has a total for each term type.",
  "rental-records":
    "Creating, the lists, the lookup and the history send the same record of a rental, the lookup with state. What was not given is null, an empty list, or the default.",
  "term-records":
    "termPeriodDays of a record is the length of all the terms that follow on one another, costPerHourCents what an hour costs at that moment.",
  summary: "The summary counts what is Pending, too, at what its hours will cost.",
  labels:
    "A rental without a label, or with an empty one, is called vm- or bm- and its id. Labels may be long, and two things may have the same one.",
  "rental-fields":
    "networkType, cudaVersion, monitoringEnabled and customPorts are kept as they are given, ports that are given twice too, and change nothing else. A field of the other type of rental is not known.",
  "volume-records":
    "A volume that is made with a rental lies in the rental's region. What has ended still tells which volumes it had.",
  "user-record":
    "A name, like any text of the user's, may be empty; what else is sent of the user is ignored.",
  "reservation-size":
    "A reservation may be asked for any number of GPUs from 1, a fraction too; the message says it.",
} as const;
