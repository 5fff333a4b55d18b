// fail makes these fields of the next answer that has one fail with UNAVAILABLE.
export const fail = (...fields) => fetch(process.env.FAIL, { method: "POST", body: JSON.stringify(fields) });
