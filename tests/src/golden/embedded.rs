//! The files of `tests/golden`, in the program. A test holds the list against `index.json`.

macro_rules! files {
    ($($name:ident)+) => {
        /// File names and contents.
        pub(super) static FILES: &[(&str, &[u8])] = &[
            ("index.json", include_bytes!("../../golden/index.json")),
            $(
                (
                    concat!(stringify!($name), ".blocks"),
                    include_bytes!(concat!("../../golden/", stringify!($name), ".blocks")),
                ),
                (
                    concat!(stringify!($name), ".f32"),
                    include_bytes!(concat!("../../golden/", stringify!($name), ".f32")),
                ),
            )+
        ];
    };
}

files! {
    q4_K q5_K q6_K q8_K q2_K q3_K iq4_nl iq4_xs
    tq1_0 tq2_0 mxfp4 nvfp4 iq2_xxs iq2_xs iq2_s iq3_xxs
    iq3_s iq1_s iq1_m q4_0 q8_0 q4_1 q5_0 q5_1
    q1_0 q2_0
}

/// The contents of a file.
pub(super) fn file(name: &str) -> Option<&'static [u8]> {
    FILES
        .iter()
        .find(|(file, _)| *file == name)
        .map(|(_, bytes)| *bytes)
}
